import HTTPTypes
public import Ostiary

/// An identity of another system, from that system's own sign-in.
public struct LogiForeignIdentity: Sendable, Hashable {
    /// The identity's provider, such as `apple`.
    public var provider: String
    /// The identity token.
    public var token: Secret
    /// The nonce before it was hashed.
    public var rawNonce: Secret

    /// Describes an identity.
    public init(provider: String, token: Secret, rawNonce: Secret) {
        self.provider = provider
        self.token = token
        self.rawNonce = rawNonce
    }

    fileprivate var body: JSONObject {
        [
            "provider": .string(provider), "identity_token": .string(token.reveal()),
            "raw_nonce": .string(rawNonce.reveal()),
        ]
    }
}

/// The account that an anonymous one was left for.
public struct LogiSwap: Sendable, Hashable {
    /// The key for the vendor's `/api/v1`, of the account now.
    public let key: LogiAccessKey
    /// The account's number.
    public let userID: Int
    /// The server's statistics of the merge; their form is not documented.
    public let statistics: JSONObject
}

extension Logi {
    /// Links an identity of another system to the account.
    ///
    /// - Throws: At stage `userinfo`: `refused` with `identity_owned_by_another_account`, after which an anonymous
    ///   account may ``swapAnonymous(for:with:on:options:)``, or with `email_linked_to_other_apple_account`.
    public func connect(_ identity: LogiForeignIdentity, with key: LogiAccessKey) async throws(SignInError) {
        let path = "/api/v1/me/connected_identities"
        let answer = try await call(path, body: identity.body, bearer: key.value, at: .userInfo)
        guard answer.status.kind == .successful else { throw answer.failure }
    }

    /// Leaves an anonymous account for the one that an identity belongs to.
    ///
    /// The device's new secret, which the server sends only once, is stored before this returns.
    ///
    /// - Parameters:
    ///   - identity: The identity whose account is entered.
    ///   - key: The access key of the anonymous account.
    ///   - device: The device of the anonymous account.
    ///   - options: The treatment of the anonymous account's data; its form is not documented.
    /// - Returns: The entered account, with its access key.
    /// - Throws: At stage `userinfo`: `refused` with `non_anonymous_caller` for an account that is not anonymous.
    public func swapAnonymous(
        for identity: LogiForeignIdentity,
        with key: LogiAccessKey,
        on device: LogiAnonymousDevice,
        options: JSONObject? = nil
    ) async throws(SignInError) -> LogiSwap {
        var body = identity.body
        body["merge_options"] = options.map { .object($0) }
        let sent = body
        let logi = self
        let answer = try await device.slot.answer(for: key.value, retrying: .never) {
            (_: LogiDeviceCredential) async throws(SignInError) -> JSONObject in
            let path = "/api/v1/me/anonymous_swap"
            return try await logi.call(path, body: sent, bearer: key.value, at: .userInfo).success()
        }
        guard let user = answer["user"]?.object else { throw SignInError(.userInfo, .malformed("user")) }
        return LogiSwap(
            key: try LogiAccessKey(answer, at: .userInfo),
            userID: try user.number("id", at: .userInfo),
            statistics: answer["merge"]?.object ?? JSONObject()
        )
    }
}
