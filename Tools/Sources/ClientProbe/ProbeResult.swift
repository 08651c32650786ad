import OstiaryJOSE

/// The end of a client's run.
package enum ProbeEnd: Sendable, Hashable {
    /// The command ended with a status.
    case exited(Int32)
    /// A signal ended the command.
    case signaled(Int32)
    /// The time limit ended the run.
    case timedOut
    /// The app answered its redirect URI with a status, at the end of its redirects.
    case answered(Int)
    /// The app sent the browser to the provider again.
    case startedAgain
    /// The browser did not get to the app's redirect URI.
    case noRedirect

    /// Whether the client took the sign-in for a success.
    package var isSuccess: Bool {
        switch self {
        case .exited(let status): status == 0
        case .answered(let status): status < 400
        case .signaled, .timedOut, .startedAgain, .noRedirect: false
        }
    }

    /// The end in words.
    package var words: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .signaled(let signal): "ended by signal \(signal)"
        case .timedOut: "no end in time"
        case .answered(let status): "answered with status \(status)"
        case .startedAgain: "started the sign-in again"
        case .noRedirect: "no redirect to the client"
        }
    }
}

/// The result of one case.
package struct ProbeResult: Sendable {
    /// The judgement about a client.
    package enum Verdict: String, Sendable, CaseIterable {
        /// It accepted a fault that it must refuse.
        case accepted
        /// It accepted a fault that it should refuse.
        case lenient
        /// It refused something harmless.
        case intolerant
        /// It refused a fault.
        case refused
        /// It accepted something harmless.
        case tolerated
        /// The fault was not sent, since the client did not request it.
        case notReached = "not reached"
    }

    package let probe: ProbeCase
    package let verdict: Verdict
    package let end: ProbeEnd
    /// Whether the client presented the access token of the run.
    package let usedToken: Bool
    package let seconds: Double

    /// Judges one run.
    ///
    /// A client accepts a fault that it has received when it ends as after a good sign-in: exit status 0, or a page
    /// without an error. A use of the access token before a refusal is recorded and does not count.
    package init(_ probe: ProbeCase, _ end: ProbeEnd, seen watch: ProbeWatch, seconds: Double) {
        self.probe = probe
        self.end = end
        usedToken = watch.usedToken
        self.seconds = seconds
        verdict =
            if probe.expectation == .harmless {
                end.isSuccess ? .tolerated : .intolerant
            } else if !watch.isReached {
                .notReached
            } else if end.isSuccess {
                probe.expectation == .required ? .accepted : .lenient
            } else {
                .refused
            }
    }

    /// Whether it fails a probe.
    ///
    /// With `isStrict` a fault that the client should refuse, and a refusal of something harmless, do.
    package func fails(strictly isStrict: Bool) -> Bool {
        verdict == .accepted || isStrict && [.lenient, .intolerant].contains(verdict)
    }
}
