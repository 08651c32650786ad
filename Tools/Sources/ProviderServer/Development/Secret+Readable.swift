import OstiaryOAuth

extension Secret {
    /// Returns a secret that a user can type: groups of four, without characters that look alike.
    ///
    /// Each of the `groups` is 20 bits.
    static func readable(groups: Int = 3, using random: inout some RandomNumberGenerator) -> Secret {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let words = (0..<groups).map { _ in
            String((0..<4).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] })
        }
        return Secret(words.joined(separator: "-"))
    }
}
