import OstiaryJOSE

/// The name of an entry in a store: a hash, so that a leaked store names no code, handle or proof. (FIPS 180-4)
public struct StoreDigest: Sendable, Hashable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// Makes the name of an entry from its kind and its parts.
    ///
    /// - Parameters:
    ///   - purpose: The kind of entry, so that no two kinds share a name.
    ///   - parts: The parts that distinguish it from others of its kind. Their boundaries count.
    public init(_ purpose: String, _ parts: [String]) {
        var input: [UInt8] = []
        input.reserveCapacity(parts.reduce(8 + purpose.utf8.count) { $0 + 8 + $1.utf8.count })
        func append(_ part: String) {
            // A length before each part: "ab" and "c" are not "a" and "bc".
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { input.append(contentsOf: $0) }
            input.append(contentsOf: part.utf8)
        }
        append(purpose)
        for part in parts { append(part) }
        bytes = HashAlgorithm.sha256.hash(input)
    }

    /// Makes a name from the 32 bytes of a stored one; `nil` for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

extension StoreDigest {
    /// Feeds the hash in one piece: stores look entries up for every request.
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension StoreDigest: CustomStringConvertible {
    /// The first bytes, enough to distinguish entries in a log.
    public var description: String {
        bytes.prefix(6).map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}
