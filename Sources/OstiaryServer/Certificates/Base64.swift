import OstiaryJOSE

/// Base64 with padding, as PEM and structured fields use it. (RFC 4648 section 4)
enum Base64 {
    /// The decoded bytes; `nil` for text that is not padded base64.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0, !text.isEmpty else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var url: [UInt8] = []
        url.reserveCapacity(text.count)
        for byte in text.dropLast(padding) {
            switch byte {
            case UInt8(ascii: "+"): url.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): url.append(UInt8(ascii: "_"))
            // Characters of the base64url alphabet.
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: url.append(byte)
            }
        }
        return try? Base64URL.decode(url)
    }
}
