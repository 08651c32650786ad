/// A string that is equal to another only when both are the same sequence of code points.
///
/// Swift's `String` also equates canonically equivalent spellings ("\u{212A}", the Kelvin sign, and "K") and hashes
/// them alike. Member names and claims must not be equated in this way (RFC 8259 section 8.3, RFC 7519 section 7.3). An
/// attacker who knows thousands of spellings with one hash could also make a dictionary of them slow.
struct CodePoints: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (first: CodePoints, second: CodePoints) -> Bool {
        first.text.hasSameCodePoints(as: second.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both strings are the same sequence of code points, not merely canonically equivalent.
    package func hasSameCodePoints(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withElements { first in other.withElements { first.isSame(as: $0) } }
    }
}
