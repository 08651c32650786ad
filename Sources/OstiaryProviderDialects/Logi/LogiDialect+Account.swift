import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LogiDialect {
    /// The lifetime of a session token for a merge, in seconds.
    private static let sessionTokenLifetime: Double = 300

    /// Returns the key in a request.
    private func caller(_ request: ProviderRequest) throws(LogiRefusal) -> LogiState.Key {
        guard let bearer = Self.bearer(of: request), let key = state.withLock({ $0.keys[SecretDigest(bearer)] }) else {
            throw .invalidToken
        }
        return key
    }

    /// Disconnects one app from a user: removes its grants with their tokens, its keys and the user's consent.
    func disconnect(
        _ escaped: String,
        _ request: ProviderRequest,
        at provider: Provider
    ) async throws(LogiRefusal) -> ProviderResponse {
        let key = try caller(request)
        guard key.scopes.contains(.profileWrite) else {
            throw LogiRefusal(.forbidden, "insufficient_scope", "The key needs profile:write.")
        }
        guard !escaped.contains("/"), !escaped.contains("+"), let clientID = FormURLEncoding.unescape(escaped),
            case .person(let subject) = key.owner
        else { throw LogiRefusal(.notFound, "not_found", "There is no such app.") }
        let ended: Int
        do throws(ProviderStorageFailure) {
            ended = try await provider.disconnect(clientID, from: subject)
        } catch {
            throw LogiRefusal(.serviceUnavailable, "server_error", "It cannot be done at the moment.")
        }
        guard ended > 0 else { throw LogiRefusal(.notFound, "not_found", "The app is not connected.") }
        state.withLock { state in
            state.keys = state.keys.filter { $0.value.owner != key.owner || $0.value.clientID != clientID }
        }
        return ProviderResponse(status: .noContent, fields: [.cacheControl: "no-store"])
    }

    /// Returns a token with which another session of the same user proves that it may be merged.
    func makeSessionToken(
        _ body: JSONObject,
        _ request: ProviderRequest,
        at provider: Provider
    ) throws(LogiRefusal) -> ProviderResponse {
        let key = try caller(request)
        let place = try optionalText("idempotency_key", of: body).map { "\(number(of: key.owner, provider)) \($0)" }
        let fresh = "ltgt_" + provider.random.secret()
        let expires = provider.now.addingTimeInterval(Self.sessionTokenLifetime)
        let (token, end): (String, Date) = state.withLock { state in
            if let place, let known = state.repeated[place],
                let token = state.sessionTokens[SecretDigest(known)], token.expires > provider.now
            {
                return (known, token.expires)
            }
            state.sessionTokens[SecretDigest(fresh)] = LogiState.SessionToken(owner: key.owner, expires: expires)
            if let place { state.repeated[place] = fresh }
            return (fresh, expires)
        }
        return .json(["session_token": .string(token), "expires_at": .string(end.formatted(.iso8601))])
    }

    /// Makes the caller's account the one that stays, and links another to it.
    func merge(
        _ body: JSONObject,
        _ request: ProviderRequest,
        at provider: Provider
    ) throws(LogiRefusal) -> ProviderResponse {
        let key = try caller(request)
        let token = try optionalText("target_session_token", of: body)
        let target = body["target_user_id"]?.integer
        let code = try optionalText("otp_code", of: body)
        let other: LogiState.Owner
        let via: String
        switch (token, target, code) {
        case (let token?, nil, nil):
            other = try use(SecretDigest(token), provider.now)
            via = "session_token"
        case (nil, let target?, let code?):
            let users = provider.users
            guard code == options.oneTimeCode, (1...max(users.count, 1)).contains(target), target <= users.count else {
                throw .invalidToken
            }
            other = .person(users[target - 1].subject)
            via = "t3_otp"
        case (nil, nil, nil), (nil, _, nil), (nil, nil, _):
            throw LogiRefusal(.unprocessableContent, "missing_credentials", "Nothing proves the other account.")
        default:
            throw LogiRefusal(.unprocessableContent, "conflicting_credentials", "Name one proof, not two.")
        }
        guard other != key.owner else {
            throw LogiRefusal(.unprocessableContent, "self_merge_forbidden", "Both are the same account.")
        }
        let primary = number(of: key.owner, provider)
        let linked = number(of: other, provider)
        let link = state.withLock { state in
            let number = state.nextNumber()
            if case .person(let subject) = key.owner, case .person(let absorbed) = other {
                state.merges.append(
                    .init(number: number, primary: subject, linked: absorbed, via: via, occurred: provider.now)
                )
            }
            return number
        }
        return .json([
            "ok": true, "identity_link_id": .integer(link), "primary_user_id": .integer(primary),
            "linked_user_id": .integer(linked), "merged_via": .string(via),
        ])
    }

    private func use(_ digest: SecretDigest, _ now: Date) throws(LogiRefusal) -> LogiState.Owner {
        let result: Result<LogiState.Owner, LogiRefusal> = state.withLock { state in
            guard let token = state.sessionTokens[digest] else { return .failure(.invalidToken) }
            guard token.expires > now else {
                return .failure(LogiRefusal(.unauthorized, "token_expired", "The session token is too old."))
            }
            guard !token.isUsed else {
                return .failure(LogiRefusal(.unauthorized, "token_consumed", "The session token was used."))
            }
            state.sessionTokens[digest]?.isUsed = true
            return .success(token.owner)
        }
        return try result.get()
    }

    /// Links an identity of another system.
    func connectIdentity(
        _ body: JSONObject,
        _ request: ProviderRequest,
        at provider: Provider
    ) throws(LogiRefusal) -> ProviderResponse {
        let key = try caller(request)
        let (name, token) = try identity(in: body)
        guard !options.takenEmails.contains(token) else {
            throw LogiRefusal(.conflict, "email_linked_to_other_apple_account", "The address is linked elsewhere.")
        }
        guard owner(of: name, token).map({ $0 == key.owner }) ?? true else {
            throw LogiRefusal(.conflict, "identity_owned_by_another_account", "The identity is another account's.")
        }
        state.withLock { $0.identities[name] = key.owner }
        return .json(["ok": true], status: .created)
    }

    /// Goes on as the account that an identity belongs to, and leaves an anonymous one.
    func swapAnonymous(
        _ body: JSONObject,
        _ request: ProviderRequest,
        at provider: Provider
    ) throws(LogiRefusal) -> ProviderResponse {
        let key = try caller(request)
        guard case .anonymous(let left) = key.owner else {
            throw LogiRefusal(.forbidden, "non_anonymous_caller", "The caller's account is not anonymous.")
        }
        let (name, token) = try identity(in: body)
        guard let owner = owner(of: name, token) else {
            throw LogiRefusal(.notFound, "identity_not_found", "No account has this identity.")
        }
        let secret = provider.random.secret()
        state.withLock { state in
            for (device, value) in state.devices where value.owner == .anonymous(left) {
                state.devices[device]?.owner = owner
                state.devices[device]?.secret = SecretDigest(secret)
            }
            state.keys = state.keys.filter { $0.value.owner != .anonymous(left) }
        }
        return .json([
            "access_token": .string(self.key(of: owner, provider)), "token_type": "Bearer",
            "device_secret": .string(secret),
            "user": ["id": .integer(number(of: owner, provider)), "anonymous": false],
            "merge": ["left_user_id": .integer(left)],
        ])
    }

    private func identity(in body: JSONObject) throws(LogiRefusal) -> (name: String, token: String) {
        let token = try text("identity_token", of: body)
        _ = try text("raw_nonce", of: body)
        return (try text("provider", of: body) + " " + SecretDigest(token).text, token)
    }

    private func owner(of name: String, _ token: String) -> LogiState.Owner? {
        options.takenIdentities[token].map { .person($0) } ?? state.withLock { $0.identities[name] }
    }
}
