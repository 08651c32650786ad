public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's registration at logi, and the behavior of its sign-ins.
public struct LogiConfiguration: Sendable {
    /// The browser session of a sign-in.
    public enum BrowserSession: String, Sendable, Hashable {
        /// Nothing: each sign-in starts in an empty browser, and leaves nothing behind.
        case ephemeral
        /// The system browser's own session.
        case shared
    }

    /// The interpretation of a response with `access_denied`.
    public enum Denial: String, Sendable, Hashable {
        /// A refusal by the server, with the server's text.
        case refusal
        /// A cancellation by the user, as if they had closed the page.
        case cancellation
    }

    /// The client identifier: `logi_` and 32 hexadecimal digits.
    public let clientID: String
    /// The redirect URI of the app.
    ///
    /// Prefer a scheme of the app's own: a universal link whose host the provider's app also claims never comes back.
    public let redirectURI: RedirectURI
    /// The issuer of the endpoints.
    public let issuer: Issuer
    /// The `iss` of tokens; usually the issuer itself.
    public let tokenIssuer: Issuer
    /// The default scopes of a sign-in; sent in this order.
    public let scopes: [Scope]
    /// The host on which the provider's own app is tried first.
    public let nativeHost: LogiNativeHost
    /// The browser session.
    ///
    /// The platform's user agent has it; a user agent of the app's own decides for itself. Default
    /// ``BrowserSession/ephemeral``.
    public var browserSession: BrowserSession = .ephemeral
    /// The interpretation of `access_denied`.
    ///
    /// Default ``Denial/refusal``.
    public var denial: Denial = .refusal
    /// The time limit for the user in the app or the browser.
    ///
    /// Default: 300 seconds.
    public var deadline: Duration = .seconds(300)
    /// The time for which a sign-in can be finished after the app was terminated; `nil` for none.
    ///
    /// Only the values that the response is checked against are stored, in the session's store, for at most ten
    /// minutes.
    public var pendingLifetime: Duration? {
        didSet { pendingLifetime = pendingLifetime.map { min(max($0, .zero), .seconds(600)) } }
    }
    /// Audiences besides this client that an ID token may have.
    public var trustedAudiences: Set<String> = []

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier in the developer console.
    ///   - redirectURI: The registered redirect URI; as on iOS, a scheme with an underscore is rejected.
    ///   - issuer: Default `https://api.1pass.dev`.
    ///   - tokenIssuer: The `iss` of tokens, where it differs from `issuer`. The endpoints are then at the documented
    ///     paths, since no metadata document can be of two issuers.
    ///   - scopes: Contains `openid`, so that the user is always verified. Default `openid profile:basic email`.
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
                .configuration("Add openid to the scopes: without it, the response does not name the user.")
            )
        }
        self.clientID = clientID
        self.redirectURI = try RedirectURI(redirectURI)
        self.issuer = try Issuer(issuer)
        try Self.check(self.redirectURI, isNotAt: self.issuer)
        self.tokenIssuer = try tokenIssuer.map(Issuer.init) ?? self.issuer
        self.scopes = scopes
        nativeHost = try LogiNativeHost(explicit: nativeAuthorizeHost, issuer: self.issuer)
    }

    /// Refuses a redirect to a host of the provider's: its own app claims the link, and the app never sees it.
    private static func check(_ redirectURI: RedirectURI, isNotAt issuer: Issuer) throws(SignInError) {
        guard !redirectURI.isLoopback, let host = redirectURI.url.host()?.lowercased() else { return }
        let issuers = [LogiPreset.issuer, issuer.description].compactMap { URL(string: $0)?.host()?.lowercased() }
        guard redirectURI.url.scheme == "https", (issuers + [LogiPreset.nativeAuthorizeHost]).contains(host) else {
            return
        }
        throw SignInError(
            .authorization,
            .configuration(
                "\(host) is the provider's own host, whose links never come to this app: redirect to a scheme of the app's own, such as com.example.app://callback."
            )
        )
    }

    /// The client with the requirements on logi's tokens: RS256, a named key, and clocks no more than 60 seconds apart.
    func client() throws(SignInError) -> Client {
        let validation = Client.ValidationPolicy(
            idTokenAlgorithms: [.rs256],
            trustedAudiences: trustedAudiences,
            requiresKeyID: true,
            clockTolerance: LogiPreset.clockTolerance
        )
        return try Client(id: clientID, redirectURI: redirectURI, validation: validation)
    }
}
