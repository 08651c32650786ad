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
/// Times are bounded to 0 to one year.
public struct SessionPolicy: Sendable, Hashable {
    /// The time limit for the user in the browser.
    ///
    /// Default 300 seconds.
    public var browserDeadline: Duration {
        didSet { browserDeadline = browserDeadline.boundedToYear }
    }
    /// The minimum remaining validity of an access token, for callers that name none.
    ///
    /// Default 30 seconds. A token with a lifetime of less than twice this value is refreshed at half its lifetime, not with
    /// each use.
    public var minimumValidity: Duration {
        didSet { minimumValidity = minimumValidity.boundedToYear }
    }

    /// The time after a refresh with a lost response in which the same refresh token is retried automatically.
    ///
    /// Default 30 seconds. Servers that rotate refresh tokens accept one a second time for some seconds, so that a lost
    /// response costs nothing. A later call retries once in any case; a refusal then ends the session as
    /// ``Session/End/lostRotation``.
    public var replayWindow: Duration {
        didSet { replayWindow = replayWindow.boundedToYear }
    }

    /// The time for which a refresh waits for another process that is refreshing.
    ///
    /// Default 40 seconds: two requests with their deadlines.
    public var lockPatience: Duration {
        didSet { lockPatience = lockPatience.boundedToYear }
    }

    /// The largest correction of the time by the server's responses.
    ///
    /// Default two days, which corrects a clock with the wrong date. A larger difference is reported and not applied.
    /// ID tokens then fail their checks of time, and the refresh token of a refresh is kept until the clock is
    /// corrected.
    public var maximumClockCorrection: Duration {
        didSet { maximumClockCorrection = maximumClockCorrection.boundedToYear }
    }

    /// The time for which a sign-in that waits for its response is stored, so that the response can arrive after a restart.
    ///
    /// Default `nil`: it is in memory only.
    public var pendingLifetime: Duration? {
        didSet { pendingLifetime = pendingLifetime?.boundedToYear }
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
        minimumValidity: Duration = .seconds(30),
        maximumClockCorrection: Duration = .seconds(172_800),
        pendingLifetime: Duration? = nil,
        replayWindow: Duration = .seconds(30),
        lockPatience: Duration = .seconds(40),
        secondSignIn: SignInClient.SecondSignIn = .reject,
        resourceOrigins: Set<Origin> = []
    ) {
        self.browserDeadline = browserDeadline.boundedToYear
        self.minimumValidity = minimumValidity.boundedToYear
        self.maximumClockCorrection = maximumClockCorrection.boundedToYear
        self.pendingLifetime = pendingLifetime?.boundedToYear
        self.replayWindow = replayWindow.boundedToYear
        self.lockPatience = lockPatience.boundedToYear
        self.secondSignIn = secondSignIn
        self.resourceOrigins = resourceOrigins
    }
}
