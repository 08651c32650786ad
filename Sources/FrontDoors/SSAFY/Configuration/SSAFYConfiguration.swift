public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's registration in the developer portal of SSAFY Verify, and the behavior of a verification.
///
/// It has no client secret: a confidential client's secret stays on its server.
public struct SSAFYConfiguration: Sendable, Hashable {
    /// Whether the system's browser shares its cookies with the verification.
    public enum BrowserSession: String, Sendable, Hashable {
        /// The user's own browser session.
        case shared
        /// A session that is discarded afterwards.
        case ephemeral
    }

    /// The one issuer and API base that SSAFY Verify has, on every platform.
    public static let canonicalIssuer = "https://verify.myknow.xyz"
    /// The longest that a pending verification is kept: ten minutes.
    public static let maximumPendingLifetime = Duration.seconds(600)
    /// The longest redirect URI that a backend takes, in characters.
    public static let maximumRedirectURILength = 2000

    /// The issuer, compared character by character with the `iss` of each callback.
    public let issuer: Issuer
    /// The client identifier of the portal, of a public or of a confidential client.
    public let clientID: String
    /// The redirect URI of the callback, exactly as it is registered.
    ///
    /// Prefer an https URL that the app claims (a universal link); see ``fallbackRedirectURI``.
    public let redirectURI: RedirectURI
    /// The redirect URI for user agents that cannot receive at ``redirectURI``: a registered scheme of the app's own.
    ///
    /// The system's sheet cannot receive at a link whose host is not associated with the app (`webcredentials:`).
    public let fallbackRedirectURI: RedirectURI?
    /// The requested scopes; `ssafy.verify` always comes first.
    ///
    /// A scope that the client is not approved for makes the verification fail, so request only what is needed.
    public let scopes: [Scope]
    /// The purpose of the verification, which separates pending verifications.
    ///
    /// Default `sign-in`; a second one may be `re-authentication`.
    public var purpose = "sign-in"
    /// The time, at most ten minutes, for which a pending verification is stored, so that a callback finds it after the
    /// app was terminated.
    ///
    /// Default `nil`: it is in memory only.
    public var pendingLifetime: Duration? {
        didSet { pendingLifetime = pendingLifetime.map { min(max($0, .zero), Self.maximumPendingLifetime) } }
    }
    /// The time limit for the user, at most ten minutes, which is the default.
    public var browserDeadline: Duration = .seconds(600) {
        didSet { browserDeadline = min(max(browserDeadline, .zero), .seconds(600)) }
    }
    /// The browser session of the platform's own user agent; an app's own user agent ignores it.
    ///
    /// Default ``BrowserSession/shared``; the contract needs no cookies, so both work.
    public var browserSession = BrowserSession.shared
    /// The `response_type` to send.
    ///
    /// Default `nil`: the hosted page's own client sends none, and it is not documented whether one is taken.
    public var responseType: AuthorizationRequest.ResponseType?

    /// Takes the values from the portal.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - redirectURI: A registered redirect URI, preferably an https URL that the app claims, such as
    ///     `https://partner.example.com/ios/ssafy/callback`.
    ///   - fallbackRedirectURI: Another one for user agents that cannot receive at the first, such as
    ///     `partnerapp://ssafy/callback`.
    ///   - scopes: The requested scopes besides `ssafy.verify`.
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

extension Scope {
    /// The verification itself, which is always requested.
    public static let ssafyVerify: Self = "ssafy.verify"
    /// Cohort, campus and region.
    public static let ssafyAffiliation: Self = "ssafy.affiliation"
    /// The user's name.
    public static let ssafyName: Self = "ssafy.name"
    /// The profile image.
    public static let ssafyProfileImage: Self = "ssafy.profile_image"
    /// The user's track of study.
    public static let ssafyTrack: Self = "ssafy.track"
    /// The user's role at SSAFY: student, staff and the like.
    public static let ssafyRole: Self = "ssafy.role"
    /// The Mattermost account, only for projects that must match accounts which were made with it.
    public static let ssafyMattermostID: Self = "ssafy.mattermost_id"
}
