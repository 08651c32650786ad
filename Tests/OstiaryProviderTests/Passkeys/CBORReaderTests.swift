import OstiaryProvider
import Testing

@Suite("CBOR of authenticators")
struct CBORReaderTests {
    @Test("Every type of the canonical CBOR is read")
    func types() throws {
        // {"a": [0, 23, 24, 255, 256, 65536, 4294967296, -1, -257], 1: h'0102', -2: true, "b": false, "": null}
        let bytes: [UInt8] =
            [
                0xA5, 0x61, 0x61, 0x89, 0x00, 0x17, 0x18, 0x18, 0x18, 0xFF, 0x19, 0x01, 0x00, 0x1A, 0x00, 0x01, 0x00,
                0x00,
            ]
            + [0x1B, 0, 0, 0, 1, 0, 0, 0, 0, 0x20, 0x39, 0x01, 0x00]
            + [0x01, 0x42, 0x01, 0x02, 0x21, 0xF5, 0x61, 0x62, 0xF4, 0x60, 0xF6]
        let map = try #require(try CBORReader.value(of: bytes).map)
        let numbers: [Int64] = [0, 23, 24, 255, 256, 65_536, 4_294_967_296, -1, -257]
        #expect(map["a"] == .array(numbers.map { .integer($0) }))
        #expect(map[1]?.bytes == [1, 2])
        #expect(map[-2] == .bool(true))
        #expect(map["b"] == .bool(false))
        #expect(map[""] == .null)
        #expect(map.count == 5)
    }

    @Test(
        "CBOR that is not canonical, not whole or of another type is rejected",
        arguments: [
            ([], .truncated), ([0x18], .truncated), ([0x19, 0x01], .truncated), ([0x42, 0x01], .truncated),
            ([0x62, 0x61], .truncated), ([0x82, 0x01], .truncated), ([0xA1, 0x01], .truncated),
            // An array of 2^64 - 1 elements, and a string of as many bytes.
            ([0x9B, 255, 255, 255, 255, 255, 255, 255, 255], .truncated),
            ([0x5B, 255, 255, 255, 255, 255, 255, 255, 255], .truncated),
            ([0xBB, 255, 255, 255, 255, 255, 255, 255, 255], .truncated),
            ([0x00, 0x00], .trailingBytes), ([0xA0, 0xF6], .trailingBytes),
            ([0x18, 0x17], .notShortest), ([0x19, 0x00, 0xFF], .notShortest), ([0x1A, 0, 0, 0xFF, 0xFF], .notShortest),
            ([0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notShortest), ([0x58, 0x01, 0x00], .notShortest),
            ([0x5F, 0x41, 0x00, 0xFF], .indefiniteLength), ([0x7F, 0xFF], .indefiniteLength),
            ([0x9F, 0xFF], .indefiniteLength), ([0xBF, 0xFF], .indefiniteLength), ([0xFF], .indefiniteLength),
            ([0xA2, 0x01, 0x00, 0x01, 0x00], .duplicateKey),
            ([0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x01], .duplicateKey),
            ([0xA1, 0x40, 0x00], .unsupportedKey), ([0xA1, 0xF5, 0x00], .unsupportedKey),
            ([0xA1, 0x80, 0x00], .unsupportedKey),
            ([0x61, 0xFF], .notUTF8), ([0x62, 0xC3, 0x28], .notUTF8),
            // A tag, floating-point numbers, undefined, a simple value, reserved numbers, an integer beyond 64 bits.
            ([0xC0, 0x00], .unsupportedType), ([0xF9, 0x3C, 0x00], .unsupportedType),
            ([0xFA, 0, 0, 0, 0], .unsupportedType), ([0xF7], .unsupportedType), ([0xF8, 0x20], .unsupportedType),
            ([0x1C], .unsupportedType), ([0x1E], .unsupportedType),
            ([0x1B, 255, 255, 255, 255, 255, 255, 255, 255], .unsupportedType),
            ([0x3B, 0x80, 0, 0, 0, 0, 0, 0, 0], .unsupportedType),
        ] as [([UInt8], CBORError)]
    )
    func rejected(bytes: [UInt8], error: CBORError) {
        #expect(throws: error) { try CBORReader.value(of: bytes) }
    }

    @Test("Arrays and maps may be nested four deep, and no deeper")
    func depth() throws {
        _ = try CBORReader.value(of: [0x81, 0x81, 0x81, 0x80])
        #expect(throws: CBORError.tooDeep) { try CBORReader.value(of: [0x81, 0x81, 0x81, 0x81, 0x80]) }
        #expect(throws: CBORError.tooDeep) { try CBORReader.value(of: [0x81, 0x81, 0x81, 0x81, 0xA0]) }
        #expect(throws: CBORError.tooDeep) { try CBORReader.value(of: [UInt8](repeating: 0x81, count: 30_000)) }
    }

    @Test("32,768 bytes are read, and one more is rejected")
    func size() throws {
        let longest = [0x59, 0x7F, 0xFD] + [UInt8](repeating: 0, count: 32_765)
        #expect(try CBORReader.value(of: longest).bytes?.count == 32_765)
        #expect(throws: CBORError.tooLarge) {
            try CBORReader.value(of: [0x59, 0x7F, 0xFE] + [UInt8](repeating: 0, count: 32_766))
        }
    }

    @Test("Keys of two spellings of one character are two keys")
    func spellings() throws {
        // "é" as one code point, and as an e with an accent.
        let map = try #require(
            try CBORReader.value(of: [0xA2, 0x62, 0xC3, 0xA9, 0x01, 0x63, 0x65, 0xCC, 0x81, 0x02]).map
        )
        #expect(map.count == 2)
        #expect(map["\u{E9}"]?.integer == 1 && map["e\u{301}"]?.integer == 2)
    }

    @Test("A value is taken off the bytes that follow it")
    func prefix() throws {
        var bytes: ArraySlice<UInt8> = [0x01, 0x41, 0x07, 0xF5]
        #expect(try CBORReader.value(from: &bytes).integer == 1)
        #expect(try CBORReader.value(from: &bytes).bytes == [7])
        #expect(bytes == [0xF5])
    }

    @Test("No bytes make the reader crash")
    func anything() {
        var random = CountingGenerator(state: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? CBORReader.value(of: bytes)
            _ = try? AuthenticatorData([UInt8](repeating: 0, count: 32) + bytes)
        }
    }
}
