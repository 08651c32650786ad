public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An app's configuration in the words of the vendor's document; ``LogiConfiguration`` checks it.
public struct LogiAuthConfig: Sendable, Hashable {
    /// `https://api.1pass.dev`.
    public static let defaultIssuer = URL(string: LogiPreset.issuer) ?? URL(filePath: "/")
    /// `open.1pass.dev`.
    public static let defaultNativeAuthorizeHost = LogiPreset.nativeAuthorizeHost

    /// The client identifier in the developer console.
    public var clientId: String
    /// The redirect URI; a scheme of the app's own, without an underscore, is preferred.
    public var redirectURI: URL
    /// The issuer of the endpoints.
    public var issuer: URL
    /// The `iss` of tokens; `nil` for the issuer.
    public var tokenIssuer: String?
    /// The requested scopes, with `openid`.
    public var scopes: [String]
    /// The host that the provider's app claims; `nil` derives it from the issuer.
    public var nativeAuthorizeHost: String?
    /// Whether the browser starts empty, and remembers nothing.
    public var prefersEphemeralWebSession: Bool
    /// The interpretation of `access_denied`; see ``LogiConfiguration/denial``.
    public var denial: LogiConfiguration.Denial = .refusal
    /// The time limit for the user; see ``LogiConfiguration/deadline``.
    public var deadline: Duration = .seconds(300)
    /// The time for which `LogiAuth.resume(from:)` can finish a sign-in; see
    /// ``LogiConfiguration/pendingLifetime``.
    public var pendingLifetime: Duration?
    /// Audiences besides this client that an ID token may have.
    public var trustedAudiences: Set<String> = []

    /// Describes an app.
    public init(
        clientId: String,
        redirectURI: URL,
        issuer: URL = LogiAuthConfig.defaultIssuer,
        tokenIssuer: String? = nil,
        scopes: [String] = LogiPreset.scopes.map(\.rawValue),
        nativeAuthorizeHost: String? = nil,
        prefersEphemeralWebSession: Bool = true
    ) {
        self.clientId = clientId
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.tokenIssuer = tokenIssuer
        self.scopes = scopes
        self.nativeAuthorizeHost = nativeAuthorizeHost
        self.prefersEphemeralWebSession = prefersEphemeralWebSession
    }

    /// The host that is tried first: the one named, the vendor's for the vendor's issuer, else the issuer's own.
    ///
    /// `nil` for a configuration that cannot be used.
    public var resolvedNativeAuthorizeHost: String? { try? checked().nativeHost.description }

    /// The configuration, checked.
    ///
    /// - Throws: `configuration`, with a sentence that names the fix.
    public func checked() throws(SignInError) -> LogiConfiguration {
        var configuration = try LogiConfiguration(
            clientID: clientId,
            redirectURI: redirectURI.absoluteString,
            issuer: issuer.absoluteString,
            tokenIssuer: tokenIssuer,
            scopes: scopes.map { Scope(rawValue: $0) },
            nativeAuthorizeHost: nativeAuthorizeHost
        )
        configuration.browserSession = prefersEphemeralWebSession ? .ephemeral : .shared
        configuration.denial = denial
        configuration.deadline = deadline
        configuration.pendingLifetime = pendingLifetime
        configuration.trustedAudiences = trustedAudiences
        return configuration
    }
}
