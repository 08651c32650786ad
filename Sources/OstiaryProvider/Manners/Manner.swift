import OstiaryCompatibility
import OstiaryOAuth

/// One manner of providers: a field of ``ProviderManners``, with words for a table.
public enum Manner: String, Sendable, Hashable, CaseIterable {
    case issuerPath, absentEndpoints, absentMetadata, responseIssuer, crossOrigin
    case offlineAccess, refreshTokenCondition, audienceParameter, formPostScopes
    case clientAssertionAudience, clientSecrets
    case expiresIn, tokenType, refreshTokens, idTokenAtRefresh, issuedTokenType
    case accessTokens, accessTokenHeaderType, absentAccessTokenClaims
    case authenticationTime, nonceAtRefresh, accessTokenHash, userClaimsInIDToken, textualClaims
    case keyID, keyIDAtRefresh, absentKeyMembers
    case errorBody, userInfoRefusal, accessTokenRevocation, publicClientRevocation, endSession

    /// The value in words, for a cell of a table.
    public func text(in manners: ProviderManners) -> String {
        switch self {
        case .issuerPath: manners.issuerPath.isEmpty ? "the origin" : "the origin and `\(manners.issuerPath)`"
        case .absentEndpoints: Self.list(manners.absentEndpoints.map { String($0.rawValue.dropFirst()) })
        case .absentMetadata: Self.list(manners.absentMetadata)
        case .responseIssuer: manners.responseIssuer == .announced ? "in each redirect, announced" : "never"
        case .crossOrigin:
            switch manners.crossOrigin {
            case .documents: "every page can read metadata and keys"
            case .nothing: "pages of other origins can read nothing"
            case .documentsAndNoTokens: "a token request with `Origin` is refused"
            }
        case .offlineAccess:
            switch manners.offlineAccess {
            case .granted: "granted"
            case .withConsentPrompt: "ignored without `prompt=consent`"
            case .ignored: "ignored"
            case .unknown: "refused with `invalid_scope`"
            }
        case .refreshTokenCondition:
            switch manners.refreshTokenCondition {
            case .offlineAccess: "`offline_access`"
            case .always: "none"
            case .accessType: "`access_type=offline`"
            case .confidentialClient: "`offline_access`, and a client that authenticates"
            }
        case .audienceParameter: "`\(manners.audienceParameter.rawValue)`"
        case .formPostScopes: Self.list(manners.formPostScopes.map(\.rawValue))
        case .clientAssertionAudience: manners.clientAssertionAudience == .issuer ? "the issuer" : "the token endpoint"
        case .clientSecrets:
            manners.clientSecrets == .registered ? "registered" : "a JSON Web Token that the client signs with ES256"
        case .expiresIn: manners.expiresIn == .number ? "a number" : "a string"
        case .tokenType: "`\(manners.tokenType)`"
        case .refreshTokens: Self.text(manners.refreshTokens)
        case .idTokenAtRefresh: manners.idTokenAtRefresh.rawValue
        case .issuedTokenType: manners.issuedTokenType.rawValue
        case .accessTokens:
            switch manners.accessTokens {
            case .jwt: "JSON Web Tokens"
            case .opaque: "opaque"
            case .opaqueWithoutAudience: "opaque, unless the request names an audience"
            }
        case .accessTokenHeaderType: manners.accessTokenHeaderType.map { "`\($0)`" } ?? "none"
        case .absentAccessTokenClaims: Self.list(manners.absentAccessTokenClaims)
        case .authenticationTime:
            switch manners.authenticationTime {
            case .ofSignIn: "that of the sign-in"
            case .ofSession: "that of the provider's session: a new authentication changes it"
            case .onRequest: "only with `max_age`"
            }
        case .nonceAtRefresh: manners.nonceAtRefresh == .absent ? "absent" : "repeated"
        case .accessTokenHash: manners.accessTokenHash.rawValue
        case .userClaimsInIDToken: manners.userClaimsInIDToken.rawValue
        case .textualClaims: Self.list(manners.textualClaims)
        case .keyID: manners.keyID.rawValue
        case .keyIDAtRefresh:
            manners.keyIDAtRefresh == .ofSigningKey ? "of the signing key" : "of the first ID token's key"
        case .absentKeyMembers: Self.list(manners.absentKeyMembers)
        case .errorBody:
            switch manners.errorBody {
            case .standard: "`error`, `error_description`"
            case .withoutDescription: "`error` alone"
            case .traced: "also `error_codes`, `timestamp`, `trace_id`, `correlation_id`"
            case .coded: "also `code`, `message`"
            }
        case .userInfoRefusal:
            switch manners.userInfoRefusal {
            case .challenge: "a challenge without a body"
            case .challengeAndBody: "a challenge with a JSON body"
            case .body: "a JSON body without a challenge"
            case .other(let code): "a challenge with a JSON body, `\(code)` for an invalid token"
            }
        case .accessTokenRevocation:
            switch manners.accessTokenRevocation {
            case .endsToken: "ends that token"
            case .endsGrant: "ends the grant"
            case .ignored: "succeeds, without effect"
            case .unsupported: "refused with `unsupported_token_type`"
            }
        case .publicClientRevocation:
            manners.publicClientRevocation == .allowed ? "allowed" : "refused with 401, no body"
        case .endSession:
            switch manners.endSession {
            case .standard: "RP-Initiated Logout"
            case .asksUser: "RP-Initiated Logout; the user always confirms"
            case .requiresIDTokenHint: "RP-Initiated Logout; `id_token_hint` is required"
            case .logoutURI: "`client_id` and `logout_uri`, no `state`"
            }
        }
    }

    /// The subject, for the cell before the value.
    public var title: String {
        switch self {
        case .issuerPath: "Issuer"
        case .absentEndpoints: "Endpoints that are absent"
        case .absentMetadata: "Metadata members that are absent"
        case .responseIssuer: "`iss` in redirects"
        case .crossOrigin: "Pages of other origins (CORS)"
        case .offlineAccess: "Scope `offline_access`"
        case .refreshTokenCondition: "Condition for a refresh token"
        case .audienceParameter: "Audience parameter"
        case .formPostScopes: "Scopes that need `response_mode=form_post`"
        case .clientAssertionAudience: "`aud` of client assertions"
        case .clientSecrets: "Client secrets"
        case .expiresIn: "`expires_in`"
        case .tokenType: "`token_type`"
        case .refreshTokens: "Refresh tokens"
        case .idTokenAtRefresh: "ID token at refresh"
        case .issuedTokenType: "`issued_token_type`"
        case .accessTokens: "Access tokens"
        case .accessTokenHeaderType: "`typ` of access tokens"
        case .absentAccessTokenClaims: "Claims that access tokens lack"
        case .authenticationTime: "`auth_time`"
        case .nonceAtRefresh: "`nonce` at refresh"
        case .accessTokenHash: "`at_hash`"
        case .userClaimsInIDToken: "User's claims in the ID token"
        case .textualClaims: "Boolean claims as strings"
        case .keyID: "`kid` of ID tokens"
        case .keyIDAtRefresh: "`kid` at refresh"
        case .absentKeyMembers: "Members that keys lack"
        case .errorBody: "Error bodies"
        case .userInfoRefusal: "Refusal of user info"
        case .accessTokenRevocation: "Revocation of an access token"
        case .publicClientRevocation: "Revocation by a public client"
        case .endSession: "Sign-out request"
        }
    }

    private static func text(_ tokens: ProviderManners.RefreshTokens) -> String {
        switch tokens {
        case .once(nil): "valid once; grace period as configured"
        case .once(let grace?) where grace == .zero: "valid once, no grace period; reuse ends the grant"
        case .once(let grace?): "valid once, \(Int(grace.inSeconds)) s grace period; reuse ends the grant"
        case .renewed: "replaced at each use; earlier ones stay valid"
        case .repeated: "the same token in each response"
        case .kept: "the first one stays valid; a refresh returns none"
        }
    }

    private static func list(_ names: some Collection<String>) -> String {
        names.isEmpty ? "none" : names.sorted().map { "`\($0)`" }.joined(separator: ", ")
    }
}
