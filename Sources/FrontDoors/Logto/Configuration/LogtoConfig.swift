public import Ostiary
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An app's configuration at a Logto tenant.
///
///     let config = try LogtoConfig(endpoint: "https://tenant.logto.app", appId: "my-app")
///
/// (docs.logto.io, "Add authentication to your iOS application")
public struct LogtoConfig: Sendable, Hashable {
    /// The choice of the scopes that Logto's SDKs always request.
    public enum ReservedScopes: Sendable, Hashable {
        /// `openid`, `offline_access` and `profile`.
        case included
        /// None: the app must name `openid` for an ID token, and `offline_access` for a refresh token.
        case onlyAsNamed
    }

    /// The tenant's address, without a slash at its end; it may have a path.
    public let endpoint: URL
    /// The app's identifier in the console.
    public let appId: String
    /// The interaction that a sign-in requires.
    ///
    /// Default ``LogtoCore/Prompt/consent``, without which Logto issues no refresh token.
    public var prompt: LogtoCore.Prompt
    /// Whether the session outlives the process.
    public var usingPersistStorage: Bool
    /// Whether the browser forgets the sign-in, and shares none with other apps.
    ///
    /// Default `false`: single sign-on needs the browser's cookie, and so does ending the session at sign-out.
    public var prefersEphemeralWebBrowserSession: Bool
    /// The requested reserved scopes; all of them by default.
    public var reservedScopes: ReservedScopes
    /// The accepted clock skew: 0 to 300 seconds.
    ///
    /// Default: a minute. The time is also corrected by the server's responses.
    public var clockTolerance: Duration
    /// The hint about the user who signs out.
    ///
    /// Default: the ID token, so that Logto does not ask the user for confirmation.
    public var endSessionHint: EndSessionRequest.Hint

    private let namedScopes: [Scope]
    private let namedResources: [ResourceIndicator]

    /// Takes the values from the console.
    ///
    /// - Parameters:
    ///   - endpoint: The tenant's URL, such as `https://tenant.logto.app`; http on loopback hosts only.
    ///   - appId: The app's identifier.
    ///   - scopes: Scopes besides the reserved ones; a text with spaces counts as several.
    ///   - resources: Indicators of API resources.
    ///   - prompt: The interaction that a sign-in requires.
    ///   - usingPersistStorage: Whether the session outlives the process.
    ///   - prefersEphemeralWebBrowserSession: Whether the browser discards its session after the sign-in.
    /// - Throws: `LogtoErrors.UrlConstruction.invalidEndpoint` for an invalid endpoint; `SignInError` with a sentence
    ///   that names the fix for an app identifier, a scope or a resource that cannot be sent.
    public init(
        endpoint: String,
        appId: String,
        scopes: [String] = [],
        resources: [String] = [],
        prompt: LogtoCore.Prompt = .consent,
        usingPersistStorage: Bool = true,
        prefersEphemeralWebBrowserSession: Bool = false
    ) throws {
        let trimmed = String(endpoint.reversed().drop { $0 == "/" }.reversed())
        guard (try? Issuer(trimmed)) != nil, let url = URL(string: trimmed) else {
            throw LogtoErrors.UrlConstruction.invalidEndpoint
        }
        _ = try Client(id: appId, redirectURI: try RedirectURI(Self.versionOneRedirectURI))
        self.endpoint = url
        issuer = trimmed + "/oidc"
        self.appId = appId
        self.prompt = prompt
        self.usingPersistStorage = usingPersistStorage
        self.prefersEphemeralWebBrowserSession = prefersEphemeralWebBrowserSession
        reservedScopes = .included
        clockTolerance = .seconds(60)
        endSessionHint = .idToken
        namedScopes = Self.normalized(scopes)
        var indicators: [ResourceIndicator] = []
        for resource in resources where !resource.isEmpty {
            let indicator = try ResourceIndicator(resource)
            if !indicators.contains(indicator) { indicators.append(indicator) }
        }
        namedResources = indicators
    }

    /// The redirect URI that Logto's own SDK used before version 2, inside its web view.
    static let versionOneRedirectURI = "io.logto://callback"

    /// The requested scopes of a sign-in, each once: the reserved ones first.
    public var scopes: [String] { requestedScopes.map(\.rawValue) }

    /// Every resource that a sign-in names: with the organizations scope, also the one that stands for organizations.
    public var resources: [String] { requestedResources.map(\.description) }

    /// The issuer of the tenant's tokens: `{endpoint}/oidc`.
    public let issuer: String

    /// Advice about valid settings that are probably mistakes, as sentences for a developer; empty for none.
    public var advice: [String] {
        var advice: [String] = []
        if requestedScopes.contains(.offlineAccess), !prompt.words.contains("consent") {
            advice.append(
                "Logto gives a refresh token only with prompt=consent: with \(prompt.rawValue) alone the session ends with its access token."
            )
        }
        if !requestedScopes.contains(.openID) {
            advice.append("Without openid there is no ID token, so the user is unknown: add openid.")
        }
        return advice
    }

    var requestedScopes: [Scope] {
        reservedScopes == .onlyAsNamed ? namedScopes : LogtoUtilities.withReserved(namedScopes)
    }

    var requestedResources: [ResourceIndicator] {
        guard hasOrganizations, let organizations = try? ResourceIndicator(ReservedResource.organizations.rawValue),
            !namedResources.contains(organizations)
        else { return namedResources }
        return namedResources + [organizations]
    }

    var hasOrganizations: Bool { requestedScopes.contains(Scope(rawValue: UserScope.organizations.rawValue)) }

    private static func normalized(_ scopes: [String]) -> [Scope] {
        scopes.flatMap { $0.split { $0.isWhitespace } }.reduce(into: []) { found, part in
            let scope = Scope(rawValue: String(part))
            if !found.contains(scope) { found.append(scope) }
        }
    }
}
