import Observation
import OstiarySwiftUI
import OstiaryZephr

/// The questions of a site to a new reader before it lets them in: asked while the sign-in waits.
@MainActor @Observable
final class RegistrationForm {
    /// The registration that waits for the user; `nil` when there is none.
    private(set) var waiting: Waiting?
    @ObservationIgnored private var answer: CheckedContinuation<String, any Error>?

    /// A registration that waits for the user.
    struct Waiting {
        /// The address, as the social provider has told it.
        var emailAddress: String?
        /// The reason the last answer was not taken, and the next step.
        var complaint: String?
    }

    nonisolated init() {}

    /// Asks until the site accepts the name, or the user gives up.
    func complete(_ registration: PartialRegistration) async throws -> ZephrSession {
        var complaint: String?
        while true {
            let name = try await firstName(Waiting(emailAddress: registration.emailAddress, complaint: complaint))
            do throws(ZephrError) {
                return try await registration.complete(attributes: ["first_name": .string(name)])
            } catch {
                // Nothing is lost: the same registration can be completed with another answer.
                guard error.recovery == .retry else { throw error }
                complaint = SignInFailure(error, .signIn).message()
            }
        }
    }

    /// Completes the registration with the name that the user entered.
    func submit(firstName: String) { end(with: .success(firstName)) }

    private func firstName(_ waiting: Waiting) async throws -> String {
        self.waiting = waiting
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer = continuation
                if Task.isCancelled { end(with: .failure(CancellationError())) }
            }
        } onCancel: {
            Task { @MainActor in self.end(with: .failure(CancellationError())) }
        }
    }

    private func end(with result: Result<String, any Error>) {
        waiting = nil
        answer?.resume(with: result)
        answer = nil
    }
}
