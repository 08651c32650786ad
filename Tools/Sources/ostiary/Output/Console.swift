import Foundation

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

    /// The number of columns of the terminal with the notes; 80 where it does not say.
    var width: Int {
        var size = winsize()
        guard ioctl(error, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether the terminal can show blocks and colours.
    var drawsBlocks: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.value).first ?? ""
        return Environment.value("TERM") != "dumb" && locale.uppercased().contains("UTF")
    }

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
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// Standard output was closed by its reader, as `head` does.
struct OutputClosed: Error {}
