import Foundation
import OstiaryOAuth
import Synchronization

/// SIGINT and SIGTERM as the cancellation of a command's work, so that its sockets are closed and nothing is half done.
enum Interruption {
    /// Does some work, and cancels it when somebody interrupts the command.
    ///
    /// Work that does not end within two seconds of that is left behind: the process is about to end.
    ///
    /// - Throws: What the work throws; `cancelled` when it was left behind.
    static func cancelling<Output: Sendable>(
        _ work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let race = Race<Output>()
        let task = Task {
            do { race.finish(.success(try await work())) } catch { race.finish(.failure(error)) }
        }
        onSignal {
            task.cancel()
            Thread.sleep(forTimeInterval: 2)
            race.finish(.failure(SignInError(.authorization, .cancelled)))
        }
        return try await race.result()
    }

    /// The end of the pipe that the signal handler writes to, since a handler can capture nothing.
    private static let wakeUp = Atomic<Int32>(-1)

    private static func onSignal(_ act: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        wakeUp.store(ends[1], ordering: .sequentiallyConsistent)
        let reading = ends[0]
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(reading, &byte, 1) < 0, errno == EINTR {}
            act()
        }
        // A handler, unlike an ignored signal, is not inherited by the browser that is started.
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(Interruption.wakeUp.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
        }
    }
}
