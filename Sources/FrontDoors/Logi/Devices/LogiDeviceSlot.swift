import Ostiary

/// Keeps one device's credential, and lets one call with it be under way at a time.
///
/// Two calls at once without a secret would make two devices of one.
actor LogiDeviceSlot {
    /// What happens when the server does not take the secret; it is forgotten in both cases.
    enum Retrying: Sendable {
        /// The caller is told.
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
    private let random: @Sendable () -> any RandomNumberGenerator
    /// What could not be stored yet: the secret is told once, so it is not given up.
    private var unsaved: LogiDeviceCredential?
    private var flight: Flight?

    init(_ logi: Logi, key: StoreKey) {
        store = logi.store
        self.key = key
        random = logi.random
    }

    /// The answer to a call for a caller; calls for the same one that come meanwhile get the same answer.
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

    /// What the server calls this device, if it ever said.
    func record() async throws(SignInError) -> String? { try await load()?.record }

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
            // Before it is used: an identifier that is lost with the answer would leave a device that nobody has.
            try await save(credential)
        }
        var answer: JSONObject
        do throws(SignInError) {
            answer = try await send(credential)
        } catch {
            guard credential.secret != nil, error.isInvalidDeviceSecret else { throw error }
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
    fileprivate var isInvalidDeviceSecret: Bool {
        guard case .refused(let error) = reason else { return false }
        return error.code == .invalidDeviceSecret
    }
}
