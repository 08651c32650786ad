import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignInClient {
    /// Completes a sign-in that began before the app was restarted, with the URL that opened the app.
    ///
    /// It needs ``SessionPolicy/pendingLifetime``. The stored request is removed, under a lock, before the code is
    /// redeemed: of several calls with one URL, in this process or in others, one redeems it.
    ///
    /// - Returns: The session, already stored; `nil` when no sign-in waits, when it has expired, or when the URL is not
    ///   its response, and then it continues to wait.
    /// - Throws: As ``signIn(_:)``. While another sign-in of this client is in progress, `alreadyInProgress` where
    ///   ``SessionPolicy/secondSignIn`` is `reject`: the same call succeeds after that has ended. Otherwise this
    ///   response replaces the other sign-in.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> Session? {
        if policy.secondSignIn == .reject, owner.turns.isTaken {
            // The response stays valid for a later call.
            guard try await rememberedAuthorization()?.isAnswered(by: url) == true else { return nil }
            throw SignInError(.authorization, .alreadyInProgress)
        }
        guard let pending = try await claimedAuthorization(answeredBy: url) else { return nil }
        // The user has signed in: a page that was opened meanwhile is given up.
        return try await owner.turns.take(.replace) { () async throws(SignInError) -> Session in
            let grant = try granted(pending, by: url)
            return try await session(from: grant)
        }
    }

    /// Ends a handoff that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// - Returns: The code for the backend; `nil` as in ``resumeSignIn(from:)``.
    /// - Throws: As ``codeHandoff(_:)``.
    public func resumeCodeHandoff(from url: URL) async throws(SignInError) -> CodeHandoff? {
        guard let pending = try await claimedAuthorization(answeredBy: url) else { return nil }
        return try granted(pending, by: url).handedOff()
    }

    /// Keeps a request that is about to be opened, if the policy says so.
    func remember(_ pending: PendingAuthorization) async throws(SignInError) {
        guard let lifetime = policy.pendingLifetime else { return }
        let value: JSONObject = [
            "version": 1, "expires_at": .number(context.clock.now.timeIntervalSince1970 + lifetime.inSeconds),
            "request": .object(try pending.stored()),
        ]
        do throws(StorageFailure) {
            try await store.write(value.encoded(), for: pendingKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Removes a request that was completed or given up, but not one that replaced it.
    ///
    /// A request that cannot be removed now is rejected by its age, and overwritten by the next sign-in.
    func forgetRemembered(_ pending: PendingAuthorization) async {
        guard policy.pendingLifetime != nil else { return }
        _ = try? await claim(pending)
    }

    private var pendingKey: StoreKey { .pending(issuer: issuer, clientID: client.id, account: account) }

    /// Takes the stored request out of the store, if the URL is its response.
    ///
    /// The metadata, which may come from the network, is read before the lock is taken. Under it the request is read
    /// again: only the caller that removes it may redeem the code.
    private func claimedAuthorization(answeredBy url: URL) async throws(SignInError) -> PendingAuthorization? {
        guard let pending = try await rememberedAuthorization(), pending.isAnswered(by: url) else { return nil }
        do throws(StorageFailure) {
            return try await claim(pending) ? pending : nil
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Removes a stored request.
    ///
    /// - Returns: Whether it was there: of several callers one hears so.
    private func claim(_ pending: PendingAuthorization) async throws(StorageFailure) -> Bool {
        let hold = try await lock.acquire(pendingKey.writeLockName, waiting: .seconds(10))
        defer { hold.release() }
        guard let request = try await rememberedRequest(), pending.isStored(as: request) else { return false }
        try await store.remove(pendingKey)
        return true
    }

    private func rememberedAuthorization() async throws(SignInError) -> PendingAuthorization? {
        let request: JSONObject?
        do throws(StorageFailure) {
            request = try await rememberedRequest()
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let request else { return nil }
        return try PendingAuthorization(
            stored: request,
            client: client,
            server: try await directory.server(),
            keys: .thisDevice
        )
    }

    private func rememberedRequest() async throws(StorageFailure) -> JSONObject? {
        guard let bytes = try await store.read(pendingKey) else { return nil }
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let expiry = object["expires_at"]?.number, let request = object["request"]?.object
        else { throw .corrupted }
        let left = expiry - context.clock.now.timeIntervalSince1970
        // A clock that was set back makes nothing last longer than it was kept for.
        guard left > 0, left <= policy.pendingLifetime?.inSeconds ?? 0 else {
            try await store.remove(pendingKey)
            return nil
        }
        return request
    }
}

extension SignInClient {
    /// Returns the stored session, read at once: for the first screen of an app.
    ///
    /// Nothing is sent.
    ///
    /// - Returns: The session; `nil` for none.
    /// - Throws: `storage` when the session cannot be read, and it is left in place; `unsupported` when the store is
    ///   not an ``ImmediateSecretStore``: call ``restoreSession()`` then.
    public func restoreSessionNow() throws(SignInError) -> Session? {
        guard let store = store as? any ImmediateSecretStore else {
            throw SignInError(.storage, .unsupported("reading without waiting; this store does not"))
        }
        let value: [UInt8]?
        do throws(StorageFailure) {
            value = try store.readNow(storeKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let value else { return nil }
        return try session(stored: StoredSession(value))
    }
}
