public import OstiaryOAuth

extension SessionPolicy {
    /// The cases in which a sign-in that requests `offline_access`, and whose app sets no prompt, sends
    /// `prompt=consent`.
    ///
    /// Some servers ignore `offline_access` without it (OpenID Connect Core section 11); others present their consent
    /// page for it every time.
    public enum OfflineAccessConsent: Sendable, Hashable {
        /// From the first sign-in on that brought neither the scope nor a refresh token without it; not any more when
        /// the prompt brings no refresh token either.
        ///
        /// The client remembers it for this issuer and client identifier, in its store.
        case whenNeeded
        /// In each such sign-in, for a server that is known to require it.
        case always
        /// Never.
        case never
    }
}

/// The behavior of a sign-in and its session.
///
/// Times are bounded to 0 to one year, so that infinity may stand for "for ever"; NaN counts as 0.
public struct SessionPolicy: Sendable, Hashable {
    /// The time limit for the user in the browser.
    ///
    /// Default 300 seconds; a year at most.
    public var browserDeadline: Duration {
        didSet { browserDeadline = Self.bounded(browserDeadline) }
    }
    /// The minimum remaining validity of an access token, in seconds, for callers that name none.
    ///
    /// Default 30. A token with a lifetime of less than twice this value is refreshed at half its lifetime, not with
    /// each use.
    public var minimumValidity: Double {
        didSet { minimumValidity = Self.bounded(minimumValidity) }
    }

    /// The time after a refresh with a lost response in which the same refresh token is retried automatically, in
    /// seconds.
    ///
    /// Default 30. Servers that rotate refresh tokens accept one a second time for some seconds, so that a lost
    /// response costs nothing. A later call retries once in any case; a refusal then ends the session as
    /// ``Session/End/lostRotation``.
    public var replayWindow: Double {
        didSet { replayWindow = Self.bounded(replayWindow) }
    }

    /// The time for which a refresh waits for another process that is refreshing, in seconds.
    ///
    /// Default 40: two requests with their deadlines.
    public var lockPatience: Double {
        didSet { lockPatience = Self.bounded(lockPatience) }
    }

    /// The largest correction of the time by the server's responses, in seconds.
    ///
    /// Default two days, which corrects a clock with the wrong date. A larger difference is reported and not applied.
    /// ID tokens then fail their checks of time, and the refresh token of a refresh is kept until the clock is
    /// corrected.
    public var maximumClockCorrection: Double {
        didSet { maximumClockCorrection = Self.bounded(maximumClockCorrection) }
    }

    /// The time for which a sign-in that waits for its response is stored, in seconds, so that the response can arrive
    /// after a restart.
    ///
    /// Default `nil`: it is in memory only.
    public var pendingLifetime: Double? {
        didSet { pendingLifetime = pendingLifetime.map(Self.bounded) }
    }

    /// The behavior of a second sign-in of the same client while the first is in progress.
    ///
    /// Default: it is rejected.
    public var secondSignIn: SignInClient.SecondSignIn

    /// The cases in which a sign-in that requests `offline_access` adds `prompt=consent`.
    ///
    /// Default: where the server issued no refresh token without it.
    public var consentForOfflineAccess = SessionPolicy.OfflineAccessConsent.whenNeeded

    /// The origins to which ``Session/data(for:resource:)`` may present an access token.
    ///
    /// Default: none. A resource server that the request names may receive its own token in any case.
    public var resourceOrigins: Set<Origin>

    /// Makes a policy.
    public init(
        browserDeadline: Duration = .seconds(300),
        minimumValidity: Double = 30,
        maximumClockCorrection: Double = 2 * 86_400,
        pendingLifetime: Double? = nil,
        replayWindow: Double = 30,
        lockPatience: Double = 40,
        secondSignIn: SignInClient.SecondSignIn = .reject,
        resourceOrigins: Set<Origin> = []
    ) {
        self.browserDeadline = Self.bounded(browserDeadline)
        self.minimumValidity = Self.bounded(minimumValidity)
        self.maximumClockCorrection = Self.bounded(maximumClockCorrection)
        self.pendingLifetime = pendingLifetime.map(Self.bounded)
        self.replayWindow = Self.bounded(replayWindow)
        self.lockPatience = Self.bounded(lockPatience)
        self.secondSignIn = secondSignIn
        self.resourceOrigins = resourceOrigins
    }

    /// One year in seconds.
    private static let maximum: Double = 31_536_000

    /// An infinite time can be neither waited for nor stored.
    private static func bounded(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, 0), maximum)
    }

    private static func bounded(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(maximum))
    }
}
