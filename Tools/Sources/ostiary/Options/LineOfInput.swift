import Foundation

/// Lines of standard input.
enum LineOfInput {
    /// Whether a person types them.
    static var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a line without keeping a thread of the pool waiting.
    ///
    /// - Returns: `nil` at the end of the input, and when the task is cancelled.
    static func read() async throws -> String? {
        let race = Race<String?>()
        // It outlives a cancellation, by which the command is about to end.
        Thread.detachNewThread { race.finish(.success(readLine())) }
        return try await withTaskCancellationHandler {
            try await race.result()
        } onCancel: {
            race.finish(.success(nil))
        }
    }
}
