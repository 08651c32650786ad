import Ostiary

/// The revocations that earlier sign-outs could not make, made beside what a command does.
///
/// A command ends with its answer, and with it all that is under way: who begins this waits for it.
struct LateRevocations: Sendable {
    private let race = Race<Bool>()

    /// Begins with them.
    init(of client: SignInClient) {
        let race = race
        Task {
            let retry = await client.retryRevocations()
            race.finish(.success(retry.remaining > 0 || retry.failure != nil))
        }
    }

    /// Waits for them, and no longer than a few seconds: an issuer that does not answer holds nobody up.
    ///
    /// Called once.
    ///
    /// - Returns: Whether some are still to be made; they are kept, and the next sign-in tries again.
    func areLeft(waiting patience: Duration = .seconds(3)) async -> Bool {
        let race = race
        let alarm = Task {
            try await Task.sleep(for: patience)
            race.finish(.success(true))
        }
        defer { alarm.cancel() }
        return (try? await race.result()) ?? true
    }
}

extension Answer {
    /// Says that a refresh token of an earlier session is still good at the issuer.
    mutating func tellOfRevocationsLeft() {
        members["revocationPending"] = true
        text +=
            "\nA refresh token of an earlier session is not revoked yet. It will be tried again by the next login.\n"
    }
}
