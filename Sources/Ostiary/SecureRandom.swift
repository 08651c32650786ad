import Crypto

/// The operating system's secure random numbers.
///
/// It keeps nothing: copies of one value never repeat each other.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    /// Makes a generator; nothing is drawn yet.
    public init() {}

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        // A symmetric key is filled from the operating system's generator, or the process ends: it never falls back.
        SymmetricKey(size: SymmetricKeySize(bitCount: UInt64.bitWidth)).withUnsafeBytes {
            $0.loadUnaligned(as: UInt64.self)
        }
    }
}
