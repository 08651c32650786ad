import OstiaryOAuth

/// The code that a device shows and a person types (RFC 8628 section 6.1).
///
/// Eight of twenty consonants: no word, nothing that looks like a digit, about 34 bits.
struct UserCode: Sendable, Hashable {
    static let alphabet: [Character] = Array("BCDFGHJKLMNPQRSTVWXZ")
    static let length = 8
    /// Longer than anyone types, punctuation included.
    private static let maximumTypedBytes = 64

    /// The letters alone.
    let letters: String

    /// Draws a code.
    init(_ random: RandomSource) { letters = random.characters(Self.length, of: Self.alphabet) }

    /// Reads what a person typed, whatever its case and its punctuation; `nil` for what can be no code.
    init?(typed text: String) {
        guard text.utf8.count <= Self.maximumTypedBytes else { return nil }
        let letters = text.filter { $0.isLetter || $0.isNumber }.uppercased()
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// The code as it is shown.
    var formatted: String { "\(letters.prefix(Self.length / 2))-\(letters.dropFirst(Self.length / 2))" }

    /// What it is kept under.
    var key: String { SecretDigest(letters).text }
}
