import Ostiary

extension CurityInstallation {
    /// The result of recovering a client that the server rejected.
    enum Recovery: Sendable {
        /// The client has new credentials, so the request can be retried.
        case renewed
        /// Another client replaces it, or will: the user must sign in again.
        case replaced
        /// Nothing was done.
        case failed
    }

    /// Determines the state of a client, and registers one new client if there is no other way.
    ///
    /// `used` is the registration of the rejected request.
    func recovery(from used: ClientRegistration, withPerson: Bool) async throws(SignInError) -> Recovery {
        if let recovery, used.isClient(recovery.client) { return try await recovery.task.value.get() }
        let task = Task<Result<Recovery, SignInError>, Never> {
            defer { recovery = nil }
            do throws(SignInError) {
                return .success(try await recover(from: used, withPerson: withPerson))
            } catch {
                return .failure(error)
            }
        }
        recovery = (used.clientID, task)
        return try await task.value.get()
    }

    private func recover(from used: ClientRegistration, withPerson: Bool) async throws(SignInError) -> Recovery {
        guard let stored = try await registration() else {
            // The registration was removed meanwhile: only a new sign-in by the user registers the device again.
            if withPerson { _ = try await replace(nil) }
            return .replaced
        }
        // Another task or another process may have renewed or replaced it.
        if stored != used {
            _ = try adopted(stored)
            return used.isClient(stored.clientID) ? .renewed : .replaced
        }
        if let unproven, used.isClient(unproven) { return .failed }
        guard await configuration.replacement.decide(used) == .register else { return .failed }
        guard withPerson || !configuration.registration.access.needsPerson else {
            doubted = used.clientID
            return .replaced
        }
        _ = try await replace(used)
        return .replaced
    }
}

extension SignInError {
    /// Whether the server said that it does not know the client, or not with these credentials.
    var isAboutUnknownClient: Bool {
        guard case .refused(let error) = reason else { return false }
        return error.code == .invalidClient && stage != .registration
    }
}
