public import OstiaryOAuth

/// How a sign-in and its session behave.
public struct SessionPolicy: Sendable, Hashable {
    /// How long the person may take in the browser.
    ///
    /// Default 300 seconds.
    public var browserDeadline: Duration
    /// How long an access token has to be good for at least, in seconds, when a caller does not say.
    ///
    /// Default 30. One that lives for less than twice as long is renewed when half its life is over, and not with each use.
    public var minimumValidity: Double

    /// How long after a refresh whose answer was lost the same refresh token is tried again by itself, in seconds.
    ///
    /// Default 30. Servers that rotate refresh tokens take one a second time for some seconds, so that a lost answer costs
    /// nothing. A later call tries once more in any case; a refusal then ends the session as ``SessionEnd/lostRotation``.
    public var replayWindow: Double

    /// How long a refresh waits for another process that is refreshing, in seconds.
    ///
    /// Default 40: two requests with their deadlines.
    public var lockPatience: Double

    /// How far the time may be corrected by what the server's answers say, in seconds.
    ///
    /// Default two days, so that a clock with the wrong date is followed. A difference beyond it is told of and not followed:
    /// ID tokens then fail their checks of time, and what a refresh brought is kept until the clock is put right.
    public var maximumClockCorrection: Double

    /// How long a sign-in that waits for its answer is kept in the store, in seconds, so that the answer can come after a
    /// restart.
    ///
    /// Default `nil`: in memory alone.
    public var pendingLifetime: Double?

    /// What a second sign-in of the same client does while the first is under way.
    ///
    /// Default: it is refused.
    public var secondSignIn: SecondSignIn

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
        self.browserDeadline = browserDeadline
        self.minimumValidity = max(0, minimumValidity)
        self.maximumClockCorrection = max(0, maximumClockCorrection)
        self.pendingLifetime = pendingLifetime
        self.replayWindow = max(0, replayWindow)
        self.lockPatience = max(0, lockPatience)
        self.secondSignIn = secondSignIn
    }
}
