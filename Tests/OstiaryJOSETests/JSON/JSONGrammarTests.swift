import OstiaryJOSE
import Testing

@Suite("JSON grammar")
struct JSONGrammarTests {
    @Test("Every kind of JSON value is parsed")
    func values() throws {
        let object = try Fixtures.object(
            " {\"s\" : \"a\", \"i\":-12,\r\n\t\"n\":1.5e2,\"t\":true,\"f\":false,\"z\":null,\"a\":[1,[],{}],\"o\":{\"x\":1}} "
        )
        #expect(
            object == [
                "s": "a", "i": -12, "n": 150.0, "t": true, "f": false, "z": .null, "a": [1, [], [:]], "o": ["x": 1],
            ]
        )
        #expect(object.names == ["s", "i", "n", "t", "f", "z", "a", "o"])
    }

    @Test(
        "Malformed JSON is rejected with the offset of the error",
        arguments: [
            ("", 0), ("   ", 3), ("{", 1), ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,}", 7),
            ("{,}", 1),
            ("{\"a\" 1}", 5), ("{a:1}", 1), ("{'a':1}", 1), ("{\"a\":1}x", 7), ("{\"a\":1}{}", 7), ("{\"a\":[1,]}", 8),
            ("{\"a\":[1", 7), ("{\"a\":[1}", 7), ("{\"a\":tru}", 8), ("{\"a\":True}", 5), ("{\"a\":NaN}", 5),
            ("{\"a\":Infinity}", 5), ("{\"a\":undefined}", 5), ("{}//", 2), ("{/**/}", 1), ("{\"a\":1]", 6),
            ("{\"a", 3), ("{\"a\":\"\\", 7), ("{\"a\":\"\\u12", 10), ("{\"a\":n", 6), ("}", 0), ("x", 0),
            ("{\"a\":\u{0B}1}", 5),
        ]
    )
    func malformed(text: String, offset: Int) {
        #expect(throws: JSONError.malformed(offset: offset)) { try Fixtures.object(text) }
    }

    @Test("JSON with a byte order mark is rejected")
    func byteOrderMark() {
        #expect(throws: JSONError.malformed(offset: 0)) { try Fixtures.object("\u{FEFF}{}") }
    }

    @Test(
        "JSON that is not an object is rejected as notAnObject",
        arguments: ["[]", "\"a\"", "1", "-1", "true", "false", "null", " [1]"]
    )
    func notAnObject(text: String) {
        #expect(throws: JSONError.notAnObject) { try Fixtures.object(text) }
    }

    @Test(
        "A JSON number outside of the grammar is rejected",
        arguments: [
            "01", "-", "+1", ".5", "1.", "1.e1", "1e", "1e+", "0x1", "-01", "1_000", "00", "--1", "1.5.5", "1e1e1",
        ]
    )
    func malformedNumbers(number: String) {
        #expect {
            try Fixtures.object("{\"a\":\(number)}")
        } throws: { error in
            if case JSONError.malformed? = error as? JSONError { true } else { false }
        }
    }

    @Test("JSON integers are exact in the range of Int, and floating-point numbers beyond it")
    func integers() throws {
        #expect(try Fixtures.object("{\"a\":9223372036854775807}")["a"] == .integer(.max))
        #expect(try Fixtures.object("{\"a\":-9223372036854775808}")["a"] == .integer(.min))
        #expect(try Fixtures.object("{\"a\":9223372036854775808}")["a"] == .number(9_223_372_036_854_775_808))
        #expect(try Fixtures.object("{\"a\":-9223372036854775809}")["a"] == .number(-9_223_372_036_854_775_808))
        #expect(try Fixtures.object("{\"a\":0}")["a"] == 0)
        #expect(try Fixtures.object("{\"a\":-0}")["a"] == 0)
        #expect(try Fixtures.object("{\"a\":1.0}")["a"] == .number(1))
        #expect(try Fixtures.object("{\"a\":1E-2}")["a"] == 0.01)
    }

    @Test("A JSON number beyond the range of Double is rejected", arguments: ["1e999", "-1e400"])
    func hugeNumbers(number: String) {
        #expect(throws: JSONError.malformed(offset: 5)) { try Fixtures.object("{\"a\":\(number)}") }
    }
}
