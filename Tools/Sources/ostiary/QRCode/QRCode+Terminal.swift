extension QRCode {
    /// The code as lines for a terminal, two modules to a character, with the quiet zone that readers need.
    ///
    /// The colours are set, since half of all terminals write light on dark, and not every reader takes a code that is
    /// inverted.
    package var lines: [String] {
        stride(from: -Self.quiet, to: size + Self.quiet, by: 2).map { row in
            let characters = (-Self.quiet..<size + Self.quiet).map { column in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return Self.blackOnWhite + characters.joined() + Self.plain
        }
    }

    /// The number of columns of ``lines``.
    package var width: Int { size + 2 * Self.quiet }

    private static let quiet = 4
    private static let blackOnWhite = "\u{1B}[30;107m"
    private static let plain = "\u{1B}[0m"
}
