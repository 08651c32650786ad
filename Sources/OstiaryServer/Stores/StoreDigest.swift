import OstiaryJOSE

/// The name of an entry in a store: a hash, so that a store that leaks names no code, handle or proof. (FIPS 180-4)
public struct StoreDigest: Sendable, Hashable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// Names an entry by what it is and what it belongs to.
    ///
    /// - Parameters:
    ///   - purpose: What kind of entry it is, so that no two kinds share a name.
    ///   - parts: What tells it from others of its kind. Where one part ends and the next begins counts.
    public init(_ purpose: String, _ parts: [String]) {
        var input: [UInt8] = []
        for part in [purpose] + parts {
            let text = Array(part.utf8)
            // A length before each part: "ab" and "c" are not "a" and "bc".
            withUnsafeBytes(of: UInt64(text.count).bigEndian) { input.append(contentsOf: $0) }
            input.append(contentsOf: text)
        }
        bytes = HashAlgorithm.sha256.hash(input)
    }

    /// Takes the 32 bytes of a digest that a store kept; `nil` when they are not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

extension StoreDigest: CustomStringConvertible {
    /// The first bytes, enough to tell entries apart in a log.
    public var description: String {
        bytes.prefix(6).map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}
