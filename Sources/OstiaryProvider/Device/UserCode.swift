import OstiaryOAuth

/// The code that a device displays and the user enters (RFC 8628 section 6.1).
///
/// Eight of twenty consonants: no word, no letter that resembles a digit, about 34 bits.
struct UserCode: Sendable, Hashable {
    static let alphabet: [Character] = Array("BCDFGHJKLMNPQRSTVWXZ")
    static let length = 8
    /// Longer than anyone types, punctuation included.
    private static let maximumTypedBytes = 64

    /// The letters alone.
    let letters: String

    /// Draws a code.
    init(_ random: RandomSource) { letters = random.characters(Self.length, of: Self.alphabet) }

    /// Parses the user's input, ignoring case and punctuation; `nil` when it cannot be a code.
    init?(typed text: String) {
        guard text.utf8.count <= Self.maximumTypedBytes else { return nil }
        let letters = text.filter { $0.isLetter || $0.isNumber }.uppercased()
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// The code in its displayed form.
    var formatted: String { "\(letters.prefix(Self.length / 2))-\(letters.dropFirst(Self.length / 2))" }

    /// The key of the code's record.
    var key: String { SecretDigest(letters).text }
}
