import OstiaryCompatibility
import Testing

@Suite("Strings from bytes")
struct StringTests {
    @Test(
        "UTF-8 and UTF-16 text is decoded unchanged",
        arguments: ["", "a", "grüße", "日本", "🗝️", "\u{0}", "\u{FEFF}a", "\u{FFFD}", "e\u{301}", "\u{10FFFF}"]
    )
    func valid(_ text: String) {
        #expect(String(utf8: Array(text.utf8)).map { Array($0.utf8) } == Array(text.utf8))
        #expect(String(utf8: Array(text.utf8)[...]) == text)
        #expect(String(utf16: Array(text.utf16)).map { Array($0.utf16) } == Array(text.utf16))
    }

    @Test(
        "Bytes that are not UTF-8 decode to nil",
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0x61, 0xF0, 0x9F, 0x97], [0xEF, 0xBF, 0xBD, 0xFE],
        ] as [[UInt8]]
    )
    func invalid(_ bytes: [UInt8]) {
        #expect(String(utf8: bytes) == nil)
    }

    @Test(
        "A lone surrogate decodes to nil",
        arguments: [[0xD800], [0xDC00], [0x61, 0xD83D], [0xDC00, 0xD800]] as [[UInt16]]
    )
    func surrogate(_ units: [UInt16]) {
        #expect(String(utf16: units) == nil)
    }
}
