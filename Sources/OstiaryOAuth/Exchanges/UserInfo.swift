import HTTPTypes
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Asks for claims about the person who signed in (OpenID Connect Core section 5.3).
public struct UserInfoRequest: Exchange {
    let tokens: TokenSet
    let identity: IdentityToken
    let client: Client
    let server: AuthorizationServer

    /// Asks with an access token.
    ///
    /// - Throws: `mismatch(.idToken)` at stage `userinfo` without an identity: there would be nobody to compare with.
    public init(_ tokens: TokenSet, client: Client, server: AuthorizationServer) throws(SignInError) {
        guard let identity = tokens.identity else { throw SignInError(.userInfo, .mismatch(.idToken)) }
        self.tokens = tokens
        self.identity = identity
        self.client = client
        self.server = server
    }

    /// Stage `userInfo`.
    public var stage: SignInError.Stage { .userInfo }

    /// A GET with the access token in the `Authorization` field (RFC 6750 section 2.1).
    public func request() throws(SignInError) -> EndpointRequest {
        guard let url = server.userInfoEndpoint else {
            throw SignInError(.userInfo, .unsupported("a userinfo_endpoint"))
        }
        let signed = client.validation.userInfoAlgorithm != nil
        return EndpointRequest(
            url: url,
            fields: [
                .accept: signed ? "application/jwt" : "application/json, application/jwt",
                .authorization: "Bearer " + tokens.accessToken.reveal(),
            ]
        )
    }

    /// The claims, not yet compared with anybody.
    public func output(from response: EndpointResponse) throws(SignInError) -> UserInfoResponse {
        guard response.status == .ok else { throw response.failure(at: .userInfo) }
        if response.mediaType == "application/jwt" {
            guard let compact = String(validating: response.body, as: UTF8.self),
                let token = try? UnverifiedJWT(compact)
            else { throw SignInError(.userInfo, .malformed("the user info is not a JSON Web Token")) }
            return UserInfoResponse(content: .signed(token), request: self)
        }
        guard client.validation.userInfoAlgorithm == nil else {
            throw SignInError(.userInfo, .mismatch(.signedUserInfo))
        }
        return UserInfoResponse(content: .plain(try response.jsonObject(at: .userInfo)), request: self)
    }
}

/// User info that nobody has compared with the person who signed in.
///
/// It gives out no claim.
public struct UserInfoResponse: Sendable {
    enum Content: Sendable {
        case plain(JSONObject)
        case signed(UnverifiedJWT)
    }

    let content: Content
    let request: UserInfoRequest

    /// What the signature needs; `nil` when there is none and hence no need for keys.
    package var signature: (keyID: String?, algorithm: SignatureAlgorithm?)? {
        guard case .signed(let token) = content else { return nil }
        return (token.header.keyID, SignatureAlgorithm(rawValue: token.header.algorithmName))
    }

    /// Checks signature, issuer and audience if it is signed, and in any case that it is about the person who signed in
    /// (OpenID Connect Core sections 5.3.2 and 5.3.4).
    ///
    /// - Throws: `mismatch` at stage `userinfo`; no claim can be used then.
    public func validated(by keys: JSONWebKeySet, now: Date) throws(SignInError) -> UserInfo {
        let claims: JSONObject
        switch content {
        case .plain(let object): claims = object
        case .signed(let token): claims = try verified(token, by: keys, now: now).claims
        }
        guard claims["sub"]?.string?.isEmpty == false, claims["sub"] == request.identity.claims["sub"] else {
            throw SignInError(.userInfo, .mismatch(.subject))
        }
        return UserInfo(claims: claims)
    }

    private func verified(_ token: UnverifiedJWT, by keys: JSONWebKeySet, now: Date) throws(SignInError) -> VerifiedJWT
    {
        let policy = request.client.validation
        let verified: VerifiedJWT
        do throws(JOSEError) {
            verified = try token.verified(
                by: keys,
                algorithms: policy.userInfoAlgorithm.map { [$0] } ?? policy.idTokenAlgorithms
            )
        } catch {
            throw SignInError(.userInfo, TokenResponse.reason(of: error))
        }
        func refuse(_ check: SignInError.Check) -> SignInError { SignInError(.userInfo, .mismatch(check)) }
        if let type = verified.header.type?.lowercased(), type.hasSuffix("+jwt") { throw refuse(.type) }
        if let issuer = verified.claims["iss"] {
            guard let name = issuer.string, request.server.issuer.isNamed(name) else { throw refuse(.issuer) }
        }
        if verified.claims["aud"] != nil {
            guard verified.claims.audience?.contains(.string(request.client.id)) == true else {
                throw refuse(.audience)
            }
        }
        if let expiry = verified.claims["exp"] {
            guard let time = expiry.number, now.timeIntervalSince1970 < time + policy.clockTolerance else {
                throw refuse(.expiry)
            }
        }
        return verified
    }
}

/// Claims about the person who signed in, from the server that signed them in.
public struct UserInfo: Sendable, Hashable {
    /// Every claim.
    public let claims: JSONObject
    /// Who the person is at this issuer; the same as in the ID token.
    public var subject: String { claims["sub"]?.string ?? "" }
}

extension UserInfo: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values are about a person.
    public var description: String { "UserInfo(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}
