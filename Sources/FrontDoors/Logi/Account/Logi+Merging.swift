public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Proof that a user is signed in to an account, for merging it with another.
public struct LogiMergeTicket: Sendable, Hashable {
    /// The token, which is valid once.
    public let token: Secret
    /// The expiry of the token: five minutes after it was issued.
    public let expiry: Date
}

/// The result of a merge.
public struct LogiMerge: Sendable, Hashable {
    /// The server's identifier of the link.
    public let linkID: Int
    /// The account that survives.
    public let primaryUserID: Int
    /// The account that was absorbed.
    public let linkedUserID: Int
    /// The evidence by which the accounts were merged.
    public let reason: LinkedAccount.Reason
}

/// The proof that the other account of a merge belongs to the same user.
public enum LogiMergeProof: Sendable, Hashable {
    /// A one-time code that the user received.
    case oneTimeCode(Secret, userID: Int)
    /// A ticket that the other session requested.
    case ticket(Secret)
}

extension Logi {
    /// Requests a ticket with which another session of the same user can absorb this account.
    ///
    /// - Parameters:
    ///   - key: The access key of the account to absorb.
    ///   - idempotencyKey: The same key returns the same ticket, after a response that was lost.
    /// - Returns: The ticket.
    /// - Throws: An error at stage `userinfo`.
    public func mergeTicket(
        with key: LogiAccessKey,
        idempotencyKey: String? = nil
    ) async throws(SignInError) -> LogiMergeTicket {
        var body = JSONObject()
        body["idempotency_key"] = idempotencyKey.map { .string($0) }
        let path = "/api/v1/me/merge/session-token"
        let answer = try await call(path, body: body, bearer: key.value, at: .userInfo).success()
        let text = try answer.text("expires_at", at: .userInfo)
        guard let expiry = try? Date(text, strategy: .iso8601) else {
            throw SignInError(.userInfo, .malformed("expires_at"))
        }
        return LogiMergeTicket(token: Secret(try answer.text("session_token", at: .userInfo)), expiry: expiry)
    }

    /// Merges another account of the same user into this one; the claims list it after the next refresh.
    ///
    /// - Throws: At stage `userinfo`: `refused` with `self_merge_forbidden`, `token_expired`, `token_consumed` or
    ///   `invalid_token`.
    public func merge(_ proof: LogiMergeProof, with key: LogiAccessKey) async throws(SignInError) -> LogiMerge {
        let body: JSONObject =
            switch proof {
            case .oneTimeCode(let code, let user):
                ["target_user_id": .integer(user), "otp_code": .string(code.reveal())]
            case .ticket(let token): ["target_session_token": .string(token.reveal())]
            }
        let answer = try await call("/api/v1/me/merge", body: body, bearer: key.value, at: .userInfo).success()
        guard answer["ok"]?.bool == true else { throw SignInError(.userInfo, .malformed("ok")) }
        return LogiMerge(
            linkID: try answer.number("identity_link_id", at: .userInfo),
            primaryUserID: try answer.number("primary_user_id", at: .userInfo),
            linkedUserID: try answer.number("linked_user_id", at: .userInfo),
            reason: LinkedAccount.Reason(rawValue: try answer.text("merged_via", at: .userInfo))
        )
    }
}
