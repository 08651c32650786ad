public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the developer portal of SSAFY Verify has on an app, and how a verification behaves.
///
/// There is no place for a client secret in it: that one lives on the server of a confidential client alone.
public struct SSAFYConfiguration: Sendable, Hashable {
    /// Whether the system's browser shares its cookies with the verification.
    public enum BrowserSession: String, Sendable, Hashable {
        /// The person's own browser session.
        case shared
        /// One that is forgotten afterwards.
        case ephemeral
    }

    /// The one issuer and API base that SSAFY Verify has, on every platform.
    public static let canonicalIssuer = "https://verify.myknow.xyz"
    /// The longest that a pending verification is kept, in seconds: ten minutes.
    public static let maximumPendingLifetime: Double = 600
    /// The longest redirect URI that a backend takes, in characters.
    public static let maximumRedirectURILength = 2000

    /// Who verifies, compared character by character with the `iss` of each callback.
    public let issuer: Issuer
    /// The client identifier of the portal, of a public or of a confidential client.
    public let clientID: String
    /// Where the callback goes, exactly as it is registered.
    ///
    /// Best an https URL that the app claims (a universal link); see ``fallbackRedirectURI``.
    public let redirectURI: RedirectURI
    /// Where it goes when the user agent cannot receive at ``redirectURI``: a scheme of the app's own, registered too.
    public let fallbackRedirectURI: RedirectURI?
    /// What is asked for; `ssafy.verify` comes first in any case.
    ///
    /// One that the client is not approved for breaks the verification, so ask for no more than needed.
    public let scopes: [Scope]
    /// What the verification is for, so that the pending ones of two purposes do not meet.
    ///
    /// Default `sign-in`; a second one may be `re-authentication`.
    public var purpose = "sign-in"
    /// How long a pending verification is kept in the store, in seconds, 0 to 600, so that a callback finds it after the
    /// app was ended meanwhile.
    ///
    /// Default `nil`: it is in memory alone.
    public var pendingLifetime: Double? {
        didSet { pendingLifetime = pendingLifetime.map { min(max($0, 0), Self.maximumPendingLifetime) } }
    }
    /// How long the person may take, at most ten minutes, which is the default.
    public var browserDeadline: Duration = .seconds(600) {
        didSet { browserDeadline = min(max(browserDeadline, .zero), .seconds(600)) }
    }
    /// What the platform's own user agent is made with; one that the app gives decides for itself.
    ///
    /// Default ``BrowserSession/shared``; the contract needs no cookies, so both do.
    public var browserSession = BrowserSession.shared
    /// The `response_type` to send.
    ///
    /// Default `nil`: the hosted page's own client sends none, and it is not documented whether one is taken.
    public var responseType: AuthorizationRequest.ResponseType?

    /// Takes what the portal shows.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - redirectURI: A registered redirect URI, best an https URL that the app claims, such as
    ///     `https://partner.example.com/ios/ssafy/callback`.
    ///   - fallbackRedirectURI: Another one for user agents that cannot receive at the first, such as
    ///     `partnerapp://ssafy/callback`.
    ///   - scopes: What is asked for besides `ssafy.verify`.
    ///   - issuer: Default ``canonicalIssuer``; another one is for tests.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        clientID: String,
        redirectURI: String,
        fallbackRedirectURI: String? = nil,
        scopes: [Scope] = [],
        issuer: String = canonicalIssuer
    ) throws(VerificationError) {
        do throws(SignInError) {
            self.issuer = try Issuer(issuer)
            self.redirectURI = try RedirectURI(redirectURI)
            self.fallbackRedirectURI = try fallbackRedirectURI.map { (text) throws(SignInError) in
                try RedirectURI(text)
            }
            self.clientID = try Client(id: clientID, redirectURI: self.redirectURI).id
        } catch {
            throw VerificationError(configuring: error)
        }
        guard max(redirectURI.count, fallbackRedirectURI?.count ?? 0) <= Self.maximumRedirectURILength else {
            throw VerificationError(.configuration("A redirect URI has at most 2000 characters."))
        }
        self.scopes = [.ssafyVerify] + scopes.filter { $0 != .ssafyVerify }
    }
}
