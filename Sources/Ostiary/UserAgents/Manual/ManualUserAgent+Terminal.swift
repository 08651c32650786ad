#if os(Linux) || os(macOS)
    import Foundation

    extension ManualUserAgent {
        /// Writes the URL, alone on a line, to standard error, and reads one line of standard input.
        public static let terminal = terminal(reading: STDIN_FILENO, writing: STDERR_FILENO)

        package static func terminal(reading input: Int32, writing output: Int32) -> ManualUserAgent {
            ManualUserAgent(
                show: { url in
                    write("Open this page in a browser and sign in:\n\n\(url.absoluteString)\n\n", to: output)
                },
                read: {
                    write("Paste the address that the browser ends on: ", to: output)
                    return await LineReader(descriptor: input).line()
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
