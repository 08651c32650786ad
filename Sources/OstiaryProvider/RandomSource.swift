import OstiaryCompatibility
import OstiaryJOSE

/// The provider's random values, drawn from the one generator that it was given.
package final class RandomSource: Sendable {
    private let generator: Lock<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Lock(generator) }

    /// 256 bits in base64url: a code, a token, a session, a cookie.
    package func secret() -> String { text(words: 4) }

    /// 128 bits in base64url: a name that need only be unique.
    package func identifier() -> String { text(words: 2) }

    /// Characters of an alphabet, each as likely as any other.
    func characters(_ count: Int, of alphabet: [Character]) -> String {
        generator.withLock { generator in
            String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
        }
    }

    /// The numbers for whatever draws them itself, such as the salt of a password.
    package var numbers: some RandomNumberGenerator { Numbers(source: self) }

    private struct Numbers: RandomNumberGenerator {
        let source: RandomSource
        func next() -> UInt64 { source.generator.withLock { $0.next() } }
    }

    /// Whether a text looks like ``secret()``.
    static func isSecret(_ text: String) -> Bool {
        (try? Base64URL.decode(text))?.count == 32
    }

    private func text(words: Int) -> String {
        let words = generator.withLock { generator in (0..<words).map { _ in generator.next() } }
        return Base64URL.encode(words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } })
    }
}
