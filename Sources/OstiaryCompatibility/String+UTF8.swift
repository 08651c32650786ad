extension String {
    /// Creates a string from bytes that are UTF-8; `nil` for any other bytes.
    ///
    /// The standard library's `String(validating:as:)` needs iOS 18 and macOS 15.
    public init?(utf8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // A byte that is not UTF-8 becomes U+FFFD, so the text's bytes differ from the original ones.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Creates a string from code units that are UTF-16; `nil` for any other units, such as a lone surrogate.
    public init?(utf16 units: some Collection<UInt16>) {
        let text = String(decoding: units, as: UTF16.self)
        guard text.utf16.elementsEqual(units) else { return nil }
        self = text
    }
}
