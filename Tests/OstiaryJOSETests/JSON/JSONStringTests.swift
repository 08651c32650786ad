import OstiaryJOSE
import Testing

@Suite("JSON strings")
struct JSONStringTests {
    @Test("JSON escapes and text beyond ASCII are parsed")
    func escapes() throws {
        let object = try Fixtures.object(#"{"a":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀\u0000"}"#)
        #expect(object["a"] == "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{E9}\u{1F600}\u{0}")
    }

    @Test(
        "A JSON string with a lone surrogate is rejected",
        arguments: [
            #"\uD800"#, #"\uDC00"#, #"\uD800x"#, #"\uD800\n"#, #"\uD800\uD800"#, #"\uD800\u0041"#, #"\uDC00\uD800"#,
        ]
    )
    func loneSurrogates(text: String) {
        #expect(throws: JSONError.notUTF8) { try Fixtures.object("{\"a\":\"\(text)\"}") }
        #expect(throws: JSONError.notUTF8) { try Fixtures.object("{\"\(text)\":1}") }
    }

    @Test(
        "A JSON string of up to 40 bytes is read with a byte of any kind at any place",
        arguments: [
            ("x", "x"), ("\u{7F}", "\u{7F}"), (#"\n"#, "\n"), (#"\""#, "\""), ("é", "é"), ("\u{1F}", nil),
        ] as [(String, String?)]
    )
    func everyPlace(written: String, read: String?) throws {
        for length in 0..<40 {
            for place in 0...length {
                let (before, after) = (
                    String(repeating: "a", count: place), String(repeating: "b", count: length - place)
                )
                let text = before + written + after
                for json in ["{\"\(text)\":1}", "{\"n\":\"\(text)\"}"] {
                    guard let read else {
                        #expect(throws: JSONError.self) { try Fixtures.object(json) }
                        continue
                    }
                    let object = try Fixtures.object(json)
                    #expect(object[before + read + after] == 1 || object["n"] == .string(before + read + after))
                }
            }
        }
    }

    @Test(
        "JSON that is not well-formed UTF-8 is rejected",
        arguments: [
            [0x80], [0xC3], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0xAF],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE],
        ] as [[UInt8]]
    )
    func invalidUTF8(bytes: [UInt8]) {
        let plain = Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)
        #expect(throws: JSONError.notUTF8) { try JSONObject(parsing: plain) }
        let afterEscape = Array("{\"a\":\"\\n".utf8) + bytes + Array("\"}".utf8)
        #expect(throws: JSONError.notUTF8) { try JSONObject(parsing: afterEscape) }
        let inName = Array("{\"".utf8) + bytes + Array("\":1}".utf8)
        #expect(throws: JSONError.notUTF8) { try JSONObject(parsing: inName) }
    }

    @Test("JSON with bytes beyond ASCII outside of a string is rejected")
    func nonASCIIOutsideStrings() {
        #expect(throws: JSONError.malformed(offset: 1)) { try Fixtures.object("{\u{A0}\"a\":1}") }
    }

    @Test("A JSON string with a control character is rejected", arguments: [0x00, 0x09, 0x0A, 0x0D, 0x1F] as [UInt8])
    func controlCharacters(byte: UInt8) {
        let plain = Array("{\"a\":\"".utf8) + [byte] + Array("\"}".utf8)
        #expect(throws: JSONError.malformed(offset: 6)) { try JSONObject(parsing: plain) }
        let afterEscape = Array("{\"a\":\"\\n".utf8) + [byte] + Array("\"}".utf8)
        #expect(throws: JSONError.malformed(offset: 8)) { try JSONObject(parsing: afterEscape) }
    }

    @Test(
        "A JSON string with an unknown escape is rejected",
        arguments: [#"\x"#, #"\'"#, #"\U0041"#, #"\0"#, #"\u00g0"#, #"\u+041"#]
    )
    func unknownEscapes(text: String) {
        #expect {
            try Fixtures.object("{\"a\":\"\(text)\"}")
        } throws: { error in
            if case JSONError.malformed? = error as? JSONError { true } else { false }
        }
    }

    @Test("JSON strings that only look alike are different values")
    func canonicalEquivalence() {
        #expect(JSONValue.string("\u{212A}") != .string("K"))
        #expect(JSONValue.string("e\u{301}") != .string("\u{E9}"))
        #expect(JSONValue.string("\u{E9}") == .string("\u{E9}"))
    }
}
