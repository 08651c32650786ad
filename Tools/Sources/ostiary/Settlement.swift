import Foundation
import Ostiary
import Synchronization

/// The end of a command, which waits until its requests have been answered and their tokens stored.
///
/// A code and a rotating refresh token are valid once: a process that ends before the response is stored loses the
/// session.
final class Settlement: Sendable {
    /// The longest wait of an interrupted command: longer than one request may take.
    static let patience: Duration = .seconds(20)
    /// The longest wait of a command that is not interrupted.
    ///
    /// It is a request, its repetition, and the two minutes in which a session tries to store its tokens. The wait ends
    /// with the last of these attempts.
    static let longest: Duration = .seconds(15 + 15 + 120)

    private let console: Console
    private let over = Race<Void>()
    private let isInterrupted = Atomic(false)

    init(telling console: Console) { self.console = console }

    /// Waits no longer than ``patience`` from now on, and says so if that takes a while.
    ///
    /// - Parameter leave: Called when everything is stored, or at the end of that time.
    func interrupt(then leave: @escaping @Sendable () -> Void = {}) {
        isInterrupted.store(true, ordering: .sequentiallyConsistent)
        Task {
            if await !SignInClient.settleAll(within: .milliseconds(300)) {
                console.note(
                    """
                    ostiary: a request has been sent: waiting up to 20 seconds for its answer, to store it. \
                    A second signal ends ostiary at once, and the session may be lost.
                    """
                )
                await SignInClient.settleAll(within: Self.patience)
            }
            // Work that does not end is abandoned.
            try? await Task.sleep(for: .seconds(2))
            leave()
            hurry()
        }
    }

    /// Waits no longer.
    func hurry() { over.finish(.success(())) }

    /// Waits until everything is stored; called once.
    ///
    /// - Returns: Whether it is.
    func wait() async -> Bool {
        if await SignInClient.settleAll(within: .zero) { return true }
        Task {
            if await !SignInClient.settleAll(within: .seconds(2)),
                !isInterrupted.load(ordering: .sequentiallyConsistent)
            {
                console.note(
                    """
                    ostiary: the answer of the issuer is not stored yet: trying to store it for up to two minutes. \
                    A signal shortens that to 20 seconds; without the answer the session may be lost.
                    """
                )
            }
            await SignInClient.settleAll(within: Self.longest)
            hurry()
        }
        try? await over.result()
        return await SignInClient.settleAll(within: .zero)
    }
}

/// A command ended before the response to a request was stored.
struct LeftBehind: Error {
    /// Whether a signal ended it.
    let isInterrupted: Bool
}
