#if os(Linux) || os(macOS)
    import Foundation

    extension ManualUserAgent {
        /// Writes the URL, alone on a line, to standard error, and reads one line of standard input.
        public static let terminal = terminal(reading: STDIN_FILENO, writing: STDERR_FILENO)

        /// Reads one line of a file descriptor without blocking a thread of Swift's pool.
        ///
        /// Unlike `readLine()`, it ends when the task is cancelled, and consumes nothing after the line. A program that
        /// exits while `readLine()` waits hangs with glibc 2.41 and later.
        ///
        /// - Parameter descriptor: An open descriptor, such as `STDIN_FILENO`. One caller at a time reads it.
        /// - Returns: The line without its line feed, and without a carriage return before that; of a longer line its
        ///   first 65,537 bytes. `nil` at the end of the input, and when the task is cancelled.
        public static func line(from descriptor: Int32) async -> String? {
            await LineReader(descriptor: descriptor).line()
        }

        package static func terminal(reading input: Int32, writing output: Int32) -> ManualUserAgent {
            ManualUserAgent(
                show: { url in
                    write("Open this page in a browser and sign in:\n\n\(url.absoluteString)\n\n", to: output)
                },
                read: {
                    write("Paste the address that the browser ends on: ", to: output)
                    return await line(from: input)
                }
            )
        }

        private static func write(_ text: String, to descriptor: Int32) {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest.removeFirst(count)
            }
        }
    }
#endif
