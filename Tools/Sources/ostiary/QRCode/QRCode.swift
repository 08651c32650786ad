/// A text as a QR code: bytes, in one of the first ten versions (ISO/IEC 18004).
///
/// That is enough for the URL that a user opens on a telephone.
package struct QRCode: Sendable, Hashable {
    private let matrix: QRMatrix

    /// Draws a text.
    ///
    /// The smallest version that holds the text is taken, with error correction M where that costs no larger one.
    ///
    /// - Returns: `nil` when the text is longer than 271 bytes in UTF-8.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let form = QRForm.smallest(for: bytes.count) else { return nil }
        let codewords = form.codewords(of: bytes)
        let candidates = QRMask.allCases.map { QRMatrix(codewords, form, $0) }
        // The mask that leaves the fewest areas for a reader to trip over. (ISO/IEC 18004 section 7.8.3)
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        matrix = best
    }

    /// Modules on each side, without the quiet zone.
    package var size: Int { matrix.size }

    /// Whether a module is dark; outside of the code none is.
    package func isDark(row: Int, column: Int) -> Bool {
        let sides = 0..<size
        return sides.contains(row) && sides.contains(column) && matrix[row, column]
    }
}
