import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignInClient {
    /// Ends a sign-in that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// It needs ``SessionPolicy/pendingLifetime``. What was kept is removed before the code is redeemed: no URL is good
    /// twice.
    ///
    /// - Returns: The session, stored by then; `nil` when no sign-in waits, when it has waited too long, or when the URL is
    ///   not its answer, which leaves it waiting.
    /// - Throws: As ``signIn(_:)``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> Session? {
        guard let pending = try await rememberedAuthorization(answeredBy: url) else { return nil }
        let grant = try granted(pending, by: url)
        return try await session(from: grant)
    }

    /// Ends a hand-off that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// - Returns: The code for the backend; `nil` as in ``resumeSignIn(from:)``.
    /// - Throws: As ``handOff(_:)``.
    public func resumeHandOff(from url: URL) async throws(SignInError) -> CodeHandOff? {
        guard let pending = try await rememberedAuthorization(answeredBy: url) else { return nil }
        return try granted(pending, by: url).handedOff()
    }

    /// Keeps a request that is about to be opened, if the policy says so.
    func remember(_ pending: PendingAuthorization) async throws(SignInError) {
        guard let lifetime = policy.pendingLifetime else { return }
        let value: JSONObject = [
            "version": 1, "expires_at": .number(context.clock.now.timeIntervalSince1970 + lifetime),
            "request": .object(try pending.stored()),
        ]
        do throws(StorageFailure) {
            try await store.write(value.encoded(), for: pendingKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Forgets a request that was answered or given up.
    ///
    /// What cannot be removed now is refused by its age, and overwritten by the next sign-in.
    func forgetRemembered() async {
        guard policy.pendingLifetime != nil else { return }
        try? await store.remove(pendingKey)
    }

    private var pendingKey: StoreKey { .pending(issuer: issuer, clientID: client.id, account: account) }

    private func rememberedAuthorization(answeredBy url: URL) async throws(SignInError) -> PendingAuthorization? {
        let request: JSONObject?
        do throws(StorageFailure) {
            request = try await rememberedRequest()
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let request else { return nil }
        let pending = try PendingAuthorization(
            stored: request,
            client: client,
            server: try await directory.server(),
            keys: .thisDevice
        )
        guard pending.isAnswered(by: url) else { return nil }
        do throws(StorageFailure) {
            try await store.remove(pendingKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        return pending
    }

    private func rememberedRequest() async throws(StorageFailure) -> JSONObject? {
        guard let bytes = try await store.read(pendingKey) else { return nil }
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let expiry = object["expires_at"]?.number, let request = object["request"]?.object
        else { throw .corrupted }
        let left = expiry - context.clock.now.timeIntervalSince1970
        // A clock that was set back makes nothing last longer than it was kept for.
        guard left > 0, left <= policy.pendingLifetime ?? 0 else {
            try await store.remove(pendingKey)
            return nil
        }
        return request
    }
}
