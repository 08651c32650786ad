public import OstiaryOAuth

/// When a sign-in that requests `offline_access`, and whose app sets no prompt, sends `prompt=consent`.
///
/// Some servers ignore `offline_access` without it (OpenID Connect Core section 11); others show their consent page for
/// it every time.
public enum OfflineAccessConsent: Sendable, Hashable {
    /// From the first sign-in on that brought neither the scope nor a refresh token without it; not any more when the
    /// prompt brings no refresh token either.
    ///
    /// The client remembers it for this issuer and client identifier, in its store.
    case whenNeeded
    /// In each such sign-in, for a server that is known to require it.
    case always
    /// Never by itself.
    case never
}

/// How a sign-in and its session behave.
///
/// Times are bounded to 0 to one year, so that "for ever" may be written as infinity; a value that is no number counts as 0.
public struct SessionPolicy: Sendable, Hashable {
    /// How long the person may take in the browser.
    ///
    /// Default 300 seconds; a year at most.
    public var browserDeadline: Duration {
        didSet { browserDeadline = Self.bounded(browserDeadline) }
    }
    /// How long an access token has to be good for at least, in seconds, when a caller does not say.
    ///
    /// Default 30. One that lives for less than twice as long is renewed when half its life is over, and not with each use.
    public var minimumValidity: Double {
        didSet { minimumValidity = Self.bounded(minimumValidity) }
    }

    /// How long after a refresh whose answer was lost the same refresh token is tried again by itself, in seconds.
    ///
    /// Default 30. Servers that rotate refresh tokens take one a second time for some seconds, so that a lost answer costs
    /// nothing. A later call tries once more in any case; a refusal then ends the session as ``SessionEnd/lostRotation``.
    public var replayWindow: Double {
        didSet { replayWindow = Self.bounded(replayWindow) }
    }

    /// How long a refresh waits for another process that is refreshing, in seconds.
    ///
    /// Default 40: two requests with their deadlines.
    public var lockPatience: Double {
        didSet { lockPatience = Self.bounded(lockPatience) }
    }

    /// How far the time may be corrected by what the server's answers say, in seconds.
    ///
    /// Default two days, so that a clock with the wrong date is followed. A difference beyond it is told of and not followed:
    /// ID tokens then fail their checks of time, and what a refresh brought is kept until the clock is put right.
    public var maximumClockCorrection: Double {
        didSet { maximumClockCorrection = Self.bounded(maximumClockCorrection) }
    }

    /// How long a sign-in that waits for its answer is kept in the store, in seconds, so that the answer can come after a
    /// restart.
    ///
    /// Default `nil`: in memory alone.
    public var pendingLifetime: Double? {
        didSet { pendingLifetime = pendingLifetime.map(Self.bounded) }
    }

    /// What a second sign-in of the same client does while the first is under way.
    ///
    /// Default: it is refused.
    public var secondSignIn: SecondSignIn

    /// When a sign-in that requests `offline_access` sends `prompt=consent` by itself.
    ///
    /// Default: where the server issued no refresh token without it.
    public var consentForOfflineAccess = OfflineAccessConsent.whenNeeded

    /// Whom ``Session/data(for:resource:)`` may show an access token to.
    ///
    /// Default: nobody. A resource server that is named with the request may be shown its own token in any case.
    public var resourceOrigins: Set<Origin> = []

    /// Makes a policy.
    public init(
        browserDeadline: Duration = .seconds(300),
        minimumValidity: Double = 30,
        maximumClockCorrection: Double = 2 * 86_400,
        pendingLifetime: Double? = nil,
        replayWindow: Double = 30,
        lockPatience: Double = 40,
        secondSignIn: SecondSignIn = .reject
    ) {
        self.browserDeadline = Self.bounded(browserDeadline)
        self.minimumValidity = Self.bounded(minimumValidity)
        self.maximumClockCorrection = Self.bounded(maximumClockCorrection)
        self.pendingLifetime = pendingLifetime.map(Self.bounded)
        self.replayWindow = Self.bounded(replayWindow)
        self.lockPatience = Self.bounded(lockPatience)
        self.secondSignIn = secondSignIn
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
