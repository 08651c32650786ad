import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// The sign-ins of a load run's provider: their codes, and every token that it issued.
///
/// Nothing is removed during a run, so that a late refresh token is recognized.
final class SessionBook: Sendable {
    /// The counts of a run.
    struct Counts: Sendable, Codable {
        /// The number of completed sign-ins.
        var signIns = 0
        /// The number of refreshes.
        var refreshes = 0
        /// The number of requests with a refresh token, also of those that were rejected.
        var refreshRequests = 0
        /// The number of refreshes that were repeated, and got tokens again.
        var repeatedRefreshes = 0
        /// The number of codes that were presented more than once.
        var codesShownTwice = 0
        /// The number of refresh tokens that were presented more than once, or after one of their successors.
        var refreshTokensShownTwice = 0
        /// The number of expired or invalid access tokens that the API received.
        var badAccessTokens = 0
    }

    private struct Code {
        let subject: String
        let challenge: String
        let nonce: String?
        var isShown = false
    }

    private struct Refresh {
        let subject: String
        /// The refresh token that it was issued for; `nil` for the first one of a session.
        let predecessor: String?
        var isShown = false
        /// Whether one of its successors was presented.
        var isSuperseded = false
    }

    private struct State {
        var codes: [String: Code] = [:]
        var refreshTokens: [String: Refresh] = [:]
        var accessTokens: [String: (subject: String, expiry: Date)] = [:]
        var counts = Counts()
    }

    private let issuer: String
    private let clientID: String
    private let key: SigningKey
    /// Whether a repeated refresh gets tokens again, until one of those that it got before is presented.
    private let takesRepetitions: Bool
    private let state = Mutex(State())

    init(issuer: String, clientID: String, key: SigningKey, takesRepetitions: Bool) {
        self.issuer = issuer
        self.clientID = clientID
        self.key = key
        self.takesRepetitions = takesRepetitions
    }

    var counts: Counts { state.withLock(\.counts) }

    /// The issuer's metadata.
    ///
    /// (OpenID Connect Discovery section 3)
    var metadata: JSONObject {
        func place(_ path: String) -> JSONValue { .string(issuer + path) }
        var metadata: JSONObject = [
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]
        metadata["issuer"] = .string(issuer)
        metadata["authorization_endpoint"] = place("/authorize")
        metadata["token_endpoint"] = place("/token")
        metadata["jwks_uri"] = place("/jwks")
        return metadata
    }

    /// Issues a code, as the page at a URL does after a sign-in; `nil` for an invalid URL.
    func code(at page: String, for subject: String) -> String? {
        let items = URLComponents(string: page)?.queryItems ?? []
        guard let challenge = items.first(where: { $0.name == "code_challenge" })?.value else { return nil }
        let nonce = items.first { $0.name == "nonce" }?.value
        let code = randomText()
        state.withLock { $0.codes[code] = Code(subject: subject, challenge: challenge, nonce: nonce) }
        return code
    }

    /// Returns the response of the token endpoint; `nil` for an invalid grant.
    func answer(to form: [String: String]) throws -> JSONObject? {
        switch form["grant_type"] {
        case "authorization_code": try redeemed(form["code"] ?? "", form["code_verifier"] ?? "")
        case "refresh_token": try refreshed(form["refresh_token"] ?? "")
        default: nil
        }
    }

    /// Returns the user of a valid access token.
    func holder(of token: String) -> String? {
        state.withLock { state in
            guard let found = state.accessTokens[token], found.expiry > .now else {
                state.counts.badAccessTokens += 1
                return nil
            }
            return found.subject
        }
    }

    private func redeemed(_ code: String, _ verifier: String) throws -> JSONObject? {
        let found = state.withLock { state -> Code? in
            guard let found = state.codes[code] else { return nil }
            state.codes[code]?.isShown = true
            if found.isShown { state.counts.codesShownTwice += 1 }
            guard !found.isShown, challenge(of: verifier) == found.challenge else { return nil }
            state.counts.signIns += 1
            return found
        }
        return try found.map { try tokens(for: $0.subject, nonce: $0.nonce) }
    }

    /// Counts a request with a refresh token that is rejected.
    func countRejectedRefresh() { state.withLock { $0.counts.refreshRequests += 1 } }

    private func refreshed(_ token: String) throws -> JSONObject? {
        let subject = state.withLock { state -> String? in
            state.counts.refreshRequests += 1
            guard let found = state.refreshTokens[token] else { return nil }
            state.refreshTokens[token]?.isShown = true
            if let predecessor = found.predecessor { state.refreshTokens[predecessor]?.isSuperseded = true }
            if !found.isShown {
                state.counts.refreshes += 1
            } else if takesRepetitions, !found.isSuperseded {
                state.counts.repeatedRefreshes += 1
            } else {
                state.counts.refreshTokensShownTwice += 1
                return nil
            }
            return found.subject
        }
        return try subject.map { try tokens(for: $0, nonce: nil, replacing: token) }
    }

    private func tokens(
        for subject: String,
        nonce: String?,
        replacing predecessor: String? = nil
    ) throws -> JSONObject {
        let (access, refresh) = (randomText(), randomText())
        // Tokens are refreshed at half their lifetime: for some users after six or seven seconds, for others at each
        // call.
        let lifetime = subject.hasSuffix("0") ? 0 : Int.random(in: 12...14)
        let now = Date.now
        state.withLock { state in
            state.refreshTokens[refresh] = Refresh(subject: subject, predecessor: predecessor)
            state.accessTokens[access] = (subject, now.addingTimeInterval(Double(lifetime) + 20))
        }
        let time = Int(now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(clientID), "sub": .string(subject), "iat": .integer(time),
            "exp": .integer(time + 300),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return [
            "access_token": .string(access), "token_type": "Bearer", "expires_in": .integer(lifetime),
            "refresh_token": .string(refresh), "id_token": .string(try key.sign(claims: claims, type: "JWT")),
        ]
    }
}
