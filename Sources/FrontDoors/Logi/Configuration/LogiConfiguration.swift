public import Ostiary

/// An app as it is registered at logi, and how its sign-ins behave.
public struct LogiConfiguration: Sendable {
    /// What the browser remembers of other sign-ins.
    public enum BrowserSession: String, Sendable, Hashable {
        /// Nothing: each sign-in starts in an empty browser, and leaves nothing behind.
        case ephemeral
        /// What the system's browser knows.
        case shared
    }

    /// What an answer with `access_denied` is taken for.
    public enum Denial: String, Sendable, Hashable {
        /// A refusal by the server, told with its words.
        case refusal
        /// The person changing their mind, as if they had closed the page.
        case cancellation
    }

    /// The client identifier: `logi_` and 32 hexadecimal digits.
    public let clientID: String
    /// Where answers come back to.
    ///
    /// A scheme of the app's own is preferred: a universal link whose host the provider's app claims, too, never comes
    /// back.
    public let redirectURI: RedirectURI
    /// Where the endpoints are.
    public let issuer: Issuer
    /// What the `iss` of tokens says; usually the issuer itself.
    public let tokenIssuer: Issuer
    /// What is asked for unless a sign-in says otherwise; sent in this order.
    public let scopes: [Scope]
    /// The host on which the provider's own app is tried first.
    public let nativeHost: LogiNativeHost
    /// What the browser remembers: nothing unless told otherwise.
    public var browserSession: BrowserSession = .ephemeral
    /// What `access_denied` means to this app: a refusal unless told otherwise.
    public var denial: Denial = .refusal
    /// How long a person may take in the app or the browser: 300 seconds unless told otherwise.
    public var deadline: Duration = .seconds(300)
    /// How long a sign-in may be finished after the app was ended meanwhile, in seconds; `nil` for not at all.
    ///
    /// Only what the answer is checked against is kept, in the session's store, and for 600 seconds at most.
    public var pendingLifetime: Double? {
        didSet { pendingLifetime = pendingLifetime.map { min(max($0, 0), 600) } }
    }
    /// Audiences besides this client that an ID token may have.
    public var trustedAudiences: Set<String> = []

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - clientID: As the developer console shows it.
    ///   - redirectURI: As it is registered; iOS refuses a scheme with an underscore, and so does this.
    ///   - issuer: Default `https://api.1pass.dev`.
    ///   - tokenIssuer: What the `iss` of tokens says, where it differs from `issuer`; endpoints are then taken to lie
    ///     at the documented paths, since no metadata document can be of two issuers.
    ///   - scopes: Holds `openid`: who signed in is always verified. Default `openid profile:basic email`.
    ///   - nativeAuthorizeHost: The host that the provider's own app claims; `nil` or empty derives it from the issuer.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        clientID: String,
        redirectURI: String,
        issuer: String = LogiPreset.issuer,
        tokenIssuer: String? = nil,
        scopes: [Scope] = LogiPreset.scopes,
        nativeAuthorizeHost: String? = nil
    ) throws(SignInError) {
        guard scopes.contains(.openID) else {
            throw SignInError(
                .authorization,
                .configuration("Ask for openid among the scopes: without it nobody is known to have signed in.")
            )
        }
        self.clientID = clientID
        self.redirectURI = try RedirectURI(redirectURI)
        self.issuer = try Issuer(issuer)
        self.tokenIssuer = try tokenIssuer.map(Issuer.init) ?? self.issuer
        self.scopes = scopes
        nativeHost = try LogiNativeHost(explicit: nativeAuthorizeHost, issuer: self.issuer)
    }

    /// The client with what logi's tokens have to keep to: RS256, a named key, and clocks no more than 60 seconds apart.
    func client() throws(SignInError) -> Client {
        var validation = ValidationPolicy(
            idTokenAlgorithms: [.rs256],
            trustedAudiences: trustedAudiences,
            clockTolerance: LogiPreset.clockTolerance
        )
        validation.requiresKeyID = true
        return try Client(id: clientID, redirectURI: redirectURI, validation: validation)
    }
}
