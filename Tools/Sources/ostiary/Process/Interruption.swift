import Foundation
import OstiaryOAuth
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as the cancellation of a command's work, so that its sockets are closed and no work is
/// left half done.
///
/// The first signal cancels the work. A response in transit is still awaited and stored (``Settlement``); a second
/// signal ends the command at once. A signal that the command inherited as ignored, as with `nohup`, stays ignored.
enum Interruption {
    /// Whether a signal has come.
    static var hasCome: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    /// Runs some work, cancels it when the command is interrupted, and waits until the tokens of its requests are
    /// stored.
    ///
    /// Work that does not end within two seconds after that is abandoned: the process is about to end.
    ///
    /// - Throws: The error of the work; `cancelled` when it was abandoned; ``LeftBehind`` when it failed and a response
    ///   is not stored.
    static func cancelling<Output: Sendable>(
        telling console: Console,
        _ work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let race = Race<Output>()
        let settlement = Settlement(telling: console)
        let task = Task {
            do { race.finish(.success(try await work())) } catch { race.finish(.failure(error)) }
        }
        let leave: @Sendable () -> Void = { race.finish(.failure(SignInError(.authorization, .cancelled))) }
        onSignals { number in
            if number == 1 {
                task.cancel()
                settlement.interrupt(then: leave)
            } else {
                leave()
                settlement.hurry()
            }
        }
        let outcome: Result<Output, any Error>
        do {
            outcome = .success(try await race.result())
        } catch let error as LeftBehind {
            // It has waited already.
            throw error
        } catch {
            outcome = .failure(error)
        }
        let isSettled = await settlement.wait()
        if case .failure = outcome, !isSettled { throw LeftBehind(isInterrupted: hasCome) }
        return try outcome.get()
    }

    /// The end of the pipe that the signal handler writes to, since a handler can capture nothing.
    private static let wakeUp = Atomic<Int32>(-1)
    /// The number of signals that have come.
    private static let count = Atomic(0)

    /// Calls a function for each signal with its number, counted from 1.
    private static func onSignals(_ act: @escaping @Sendable (Int) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeUp.store(ends[1], ordering: .sequentiallyConsistent)
        let reading = ends[0]
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while true {
                let length = read(reading, &byte, 1)
                if length < 0, errno == EINTR { continue }
                guard length == 1 else { return }
                act(count.add(1, ordering: .sequentiallyConsistent).newValue)
            }
        }
        // A handler, unlike an ignored signal, is not inherited by the browser that is started.
        for number in [SIGINT, SIGTERM, SIGHUP] where !SignalForwarding.isIgnored(number) {
            signal(number) { _ in
                let error = errno
                var byte: UInt8 = 1
                _ = write(Interruption.wakeUp.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = error
            }
        }
    }
}
