import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Requests claims about the user who signed in (OpenID Connect Core section 5.3).
public struct UserInfoRequest: Exchange {
    let accessToken: Secret
    let dpopKey: DPoPKey?
    /// The `sub` that the response must have.
    let subject: String
    let client: Client
    let server: AuthorizationServer

    /// Makes a request with an access token.
    ///
    /// - Throws: `mismatch(.idToken)` at stage `userinfo` without an ID token, because there is no subject to compare
    ///   with.
    public init(_ tokens: TokenSet, client: Client, server: AuthorizationServer) throws(SignInError) {
        guard let identity = tokens.identity else { throw SignInError(.userInfo, .mismatch(.idToken)) }
        self.init(
            tokens.accessToken,
            boundTo: tokens.dpopKey,
            about: identity.subject,
            client: client,
            server: server
        )
    }

    init(
        _ accessToken: Secret,
        boundTo dpopKey: DPoPKey?,
        about subject: String,
        client: Client,
        server: AuthorizationServer
    ) {
        self.accessToken = accessToken
        self.dpopKey = dpopKey
        self.subject = subject
        self.client = client
        self.server = server
    }

    /// Stage `userInfo`.
    public var stage: SignInError.Stage { .userInfo }

    /// A GET with the access token in the `Authorization` field (RFC 6750 section 2.1, RFC 9449 section 7.1).
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.userInfoEndpoint else {
            throw SignInError(.userInfo, .unsupported("a userinfo_endpoint"))
        }
        let signed = client.validation.userInfoAlgorithm != nil
        var request = EndpointRequest(
            url: url,
            fields: [.accept: signed ? "application/jwt" : "application/json, application/jwt"]
        )
        try request.present(accessToken, boundTo: dpopKey, &fresh)
        return request
    }

    /// Reads the claims without comparing their subject.
    public func output(from response: EndpointResponse) throws(SignInError) -> UserInfoRequest.Response {
        guard response.status == .ok else { throw response.failure(at: .userInfo) }
        if response.mediaType == "application/jwt" {
            guard let compact = String(utf8: response.body),
                let token = try? UnverifiedJWT(compact)
            else { throw SignInError(.userInfo, .malformed("the user info is not a JSON Web Token")) }
            return UserInfoRequest.Response(content: .signed(token), request: self)
        }
        guard NamedCheck.holds("userinfo.signed", client.validation.userInfoAlgorithm == nil) else {
            throw SignInError(.userInfo, .mismatch(.signedUserInfo))
        }
        let claims = try response.jsonObject(at: .userInfo)
        if claims["sub"] == nil, let refusal = response.refusal(in: claims, expecting: ["sub"], at: .userInfo) {
            throw refusal
        }
        return UserInfoRequest.Response(content: .plain(claims), request: self)
    }
}

extension UserInfoRequest {
    /// A UserInfo response whose subject has not been compared with the user who signed in.
    ///
    /// It gives access to no claim.
    public struct Response: Sendable {
        enum Content: Sendable {
            case plain(JSONObject)
            case signed(UnverifiedJWT)
        }

        let content: Content
        let request: UserInfoRequest

        /// The parameters of the signature's key; `nil` for an unsigned response.
        package var signature: (keyID: String?, algorithm: SignatureAlgorithm?)? {
            guard case .signed(let token) = content else { return nil }
            return (token.header.keyID, SignatureAlgorithm(rawValue: token.header.algorithmName))
        }

        /// Checks signature, issuer and audience of a signed response, and in any case that its subject is the user who
        /// signed in (OpenID Connect Core sections 5.3.2 and 5.3.4).
        ///
        /// - Throws: `mismatch` at stage `userinfo`; no claim can then be used.
        public func validated(by keys: JSONWebKeySet, now: Date) throws(SignInError) -> UserInfo {
            var verdict = Verdict.ofFailures(.userInfo)
            return try validated(by: keys, now: now, recording: &verdict)
        }

        /// Checks the response, and records every check that was made.
        ///
        /// - Parameters:
        ///   - keys: The issuer's keys.
        ///   - now: The current time.
        ///   - verdict: Records every check, also when one of them fails.
        /// - Returns: The checked claims.
        /// - Throws: As ``validated(by:now:)``.
        public func validated(
            by keys: JSONWebKeySet,
            now: Date,
            recording verdict: inout Verdict
        ) throws(SignInError) -> UserInfo {
            let claims: JSONObject
            switch content {
            case .plain(let object): claims = object
            case .signed(let token):
                let policy = request.client.validation
                let verified = try verdict.verified(
                    token,
                    by: keys,
                    algorithms: policy.userInfoAlgorithm.map { [$0] } ?? policy.idTokenAlgorithms,
                    named: "userinfo.signature"
                )
                try verdict.require(
                    UserInfoCheck.signedRules,
                    of: UserInfoCheck.Facts(token: verified, request: request, now: now)
                )
                claims = verified.claims
            }
            try verdict.require(
                "userinfo.sub",
                .subject,
                "OpenID Connect Core section 5.3.2",
                expected: Verdict.fingerprint(request.subject),
                found: Verdict.fingerprint(claims["sub"]?.string),
                claims["sub"]?.string?.isEmpty == false && claims["sub"] == .string(request.subject)
            )
            return UserInfo(claims: claims)
        }
    }
}

/// Claims about the user who signed in, from the server that signed them in.
public struct UserInfo: Sendable, Hashable {
    /// Every claim.
    public let claims: JSONObject
    /// The user's identifier at this issuer, equal to the ID token's `sub`.
    public var subject: String { claims["sub"]?.string ?? "" }
}

/// Claims of the profile; only ``subject`` identifies a user (OpenID Connect Core section 5.1).
extension UserInfo {
    /// The name to display (`name`).
    public var name: String? { claims["name"]?.string }
    /// The name that the user goes by at the issuer (`preferred_username`); it may change or pass to another user.
    public var preferredUsername: String? { claims["preferred_username"]?.string }
    /// The email address (`email`), which may change or pass to another user.
    public var email: String? { claims["email"]?.string }
    /// Whether the issuer has verified the address: `email_verified` is `true` or `"true"`.
    public var isEmailVerified: Bool { claims.isEmailVerified }
    /// The URL of the picture (`picture`), if it is `https` or `http`.
    public var picture: URL? { claims.picture }
}

extension UserInfo: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values may identify the user.
    public var description: String { "UserInfo(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}
