import Ostiary

/// Keeps one device's credential, and lets one call with it be in progress at a time.
///
/// Two calls at once without a secret would make two devices of one.
actor LogiDeviceSlot {
    /// The action after the server has rejected the secret, which is deleted in both cases.
    enum Retrying: Sendable {
        /// The call throws.
        case never
        /// The call is made once more without it.
        case once
    }

    typealias Send = @Sendable (LogiDeviceCredential) async throws(SignInError) -> JSONObject

    private struct Flight {
        let caller: Secret
        let task: Task<Result<JSONObject, SignInError>, Never>
    }

    private let store: any SecretStore
    private let key: StoreKey
    /// Whether a 401 that names no error rejects the secret: no other credential is in the request.
    private let secretIsOnlyCredential: Bool
    private let random: @Sendable () -> any RandomNumberGenerator
    /// A credential that could not be stored yet: the server sends the secret only once, so it is kept in memory.
    private var unsaved: LogiDeviceCredential?
    private var flight: Flight?

    init(_ logi: Logi, key: StoreKey, secretIsOnlyCredential: Bool) {
        store = logi.store
        self.key = key
        self.secretIsOnlyCredential = secretIsOnlyCredential
        random = logi.random
    }

    /// Returns the response to a caller's call; concurrent calls of the same caller get the same response.
    func answer(
        for caller: Secret,
        retrying: Retrying,
        _ send: @escaping Send
    ) async throws(SignInError) -> JSONObject {
        while let flight {
            let result = await flight.task.value
            if flight.caller == caller { return try result.get() }
        }
        // A task of its own: a caller that is cancelled does not take the secret with it.
        let task = Task { await fly(retrying, send) }
        flight = Flight(caller: caller, task: task)
        return try await task.value.get()
    }

    /// Returns the server's identifier of this device, if it has sent one.
    func record() async throws(SignInError) -> String? { try await load()?.record }

    /// Stores a credential that another SDK kept, unless one is stored already.
    ///
    /// - Returns: Whether it was stored.
    func adopt(_ credential: LogiDeviceCredential) async throws(SignInError) -> Bool {
        _ = await flight?.task.value
        guard try await load() == nil else { return false }
        try await save(credential)
        return true
    }

    /// Forgets the device: the next call makes a new one.
    func reset() async throws(SignInError) {
        _ = await flight?.task.value
        do throws(StorageFailure) { try await store.remove(key) } catch { throw SignInError(.storage, .storage(error)) }
        unsaved = nil
    }

    private func fly(_ retrying: Retrying, _ send: Send) async -> Result<JSONObject, SignInError> {
        defer { flight = nil }
        do throws(SignInError) { return .success(try await call(retrying, send)) } catch { return .failure(error) }
    }

    private func call(_ retrying: Retrying, _ send: Send) async throws(SignInError) -> JSONObject {
        var credential: LogiDeviceCredential
        if let known = try await load() {
            credential = known
        } else {
            var random = random()
            credential = LogiDeviceCredential(using: &random)
            // Before its first use: an identifier that is lost with the response would leave an orphaned device.
            try await save(credential)
        }
        var answer: JSONObject
        do throws(SignInError) {
            answer = try await send(credential)
        } catch {
            guard credential.secret != nil, error.rejectsSecret(bare: secretIsOnlyCredential) else { throw error }
            credential.secret = nil
            try await save(credential)
            guard retrying == .once else { throw error }
            answer = try await send(credential)
        }
        credential.take(answer)
        answer["device_secret"] = nil
        unsaved = credential
        try await save(credential)
        return answer
    }

    private func load() async throws(SignInError) -> LogiDeviceCredential? {
        if let unsaved {
            try await save(unsaved)
            return unsaved
        }
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let bytes else { return nil }
        return try LogiDeviceCredential(bytes)
    }

    private func save(_ credential: LogiDeviceCredential) async throws(SignInError) {
        do throws(StorageFailure) {
            try await store.write(credential.bytes, for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        unsaved = nil
    }
}

extension SignInError {
    /// Whether the server has rejected the device's secret.
    ///
    /// With `isBare` a 401 that names no other error says so as well.
    fileprivate func rejectsSecret(bare isBare: Bool) -> Bool {
        switch reason {
        case .refused(let error): error.code == .invalidDeviceSecret
        case .server(status: 401): isBare
        default: false
        }
    }
}
