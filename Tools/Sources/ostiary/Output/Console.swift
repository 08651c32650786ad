#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output for data, standard error for everything else; neither is coloured.
struct Console: Sendable {
    /// The process's own streams.
    static let standard = Console(output: STDOUT_FILENO, error: STDERR_FILENO)

    private let output: Int32
    private let error: Int32

    private init(output: Int32, error: Int32) {
        self.output = output
        self.error = error
    }

    /// Whether the notes go to a terminal.
    var isWatched: Bool { isatty(error) == 1 }

    /// Whether the data goes to a terminal.
    var isOutputWatched: Bool { isatty(output) == 1 }

    /// Writes data; it has been delivered when this returns.
    ///
    /// - Throws: ``OutputClosed`` when the reader has closed the output.
    func print(_ text: String) throws(OutputClosed) { try print(Array(text.utf8)) }

    /// Writes data unchanged.
    ///
    /// - Throws: ``OutputClosed`` when the reader has closed the output.
    func print(_ bytes: [UInt8]) throws(OutputClosed) {
        guard Self.write(bytes, to: output) else { throw OutputClosed() }
    }

    /// Writes a line about the progress; a closed output is ignored.
    func note(_ line: String) {
        _ = Self.write(Array((line + "\n").utf8), to: error)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            #elseif canImport(Musl)
                let written = rest.withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
            #else
                let written = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
            #endif
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// Standard output was closed by its reader, as `head` does.
struct OutputClosed: Error {}
