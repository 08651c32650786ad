import Foundation
import Ostiary
import OstiaryOAuth

/// Lines of standard input.
enum LineOfInput {
    private static let maximumBytes = 65_536

    /// Whether the input is a terminal.
    static var isTyped: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a line without blocking a thread of the pool.
    ///
    /// Nothing here may use `readLine()`: it holds the lock of C's standard input while it waits, and since glibc 2.41
    /// `exit()` waits for that lock.
    ///
    /// - Returns: `nil` at the end of the input.
    /// - Throws: `cancelled` when the task is cancelled; `UsageError` for a line of more than 65,536 bytes.
    static func read() async throws -> String? {
        let line = await ManualUserAgent.line(from: STDIN_FILENO)
        guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
        guard line?.utf8.count ?? 0 <= maximumBytes else {
            throw UsageError("A line of standard input may hold at most \(maximumBytes) bytes.")
        }
        return line
    }
}
