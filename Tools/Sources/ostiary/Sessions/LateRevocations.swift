import Ostiary

/// The revocations that earlier sign-outs could not make, made while a command does its own work.
///
/// A command ends with its answer and loses unfinished work, so the command that begins this must wait for it. A login
/// begins it before its session is stored. That is safe: the client lets revocations end before it redeems the code,
/// and starts none until the new session is stored. A server may end every grant of a user with one refresh token
/// (RFC 7009 section 2.1).
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

    /// Waits for the revocations, but only for a few seconds: an issuer that does not respond must not delay the
    /// command.
    ///
    /// Called once.
    ///
    /// - Returns: Whether some are still to be made; they are stored, and the next sign-in retries them.
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
    /// Reports that a refresh token of an earlier session is still valid at the issuer.
    mutating func tellOfRevocationsLeft() {
        members["revocationPending"] = true
        text +=
            "\nA refresh token of an earlier session is not revoked yet. It will be tried again by the next login.\n"
    }
}
