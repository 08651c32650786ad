import Crypto

/// The operating system's secure random numbers, drawn in one read for a whole sign-in.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    private var words: [UInt64] = []

    /// Makes a generator; nothing is drawn yet.
    public init() {}

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        if let word = words.popLast() { return word }
        // A symmetric key is filled from the operating system's generator, or the process ends: it never falls back.
        words = SymmetricKey(size: SymmetricKeySize(bitCount: 1024)).withUnsafeBytes {
            Array($0.bindMemory(to: UInt64.self))
        }
        return words.removeLast()
    }
}
