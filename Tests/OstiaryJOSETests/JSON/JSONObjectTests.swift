import OstiaryJOSE
import Testing

@Suite("JSON objects")
struct JSONObjectTests {
    @Test(
        "A repeated JSON member name is rejected at every depth",
        arguments: [
            "{\"a\":1,\"a\":1}", "{\"x\":{\"a\":1,\"a\":2}}", "{\"x\":[{\"a\":1,\"b\":2,\"a\":3}]}",
            "{\"a\":1,\"\\u0061\":2}",
        ]
    )
    func repeatedNames(text: String) {
        #expect(throws: JSONError.duplicateMember("a")) { try Fixtures.object(text) }
    }

    @Test(
        "A JSON object is parsed alike alone and inside another object",
        arguments: [
            "{}", "{ }", #"{"a":1}"#, "\t{ \"a\" :\n1 , \"b\" : \"c\" }\r", #"{"":""}"#, #"{"a":0,"b":-1,"c":01}"#,
            #"{"a":999999999999999999,"b":9999999999999999999,"c":9223372036854775807}"#, #"{"a":1.5,"b":1e3,"c":1E3}"#,
            #"{"a":1e}"#, #"{"a":-}"#, #"{"a":"\u0041","b":"é","c":"\n"}"#, #"{"é":1,"\u0061":2}"#,
            #"{"a":[1,{"b":2}],"c":{}}"#,
            #"{"a":1,}"#, #"{"a":1"b":2}"#, #"{"a"1}"#, #"{"a":1}}"#, #"{"a":1} x"#, #"{"a":"}"#, "{\"a\":\"\u{1}\"}",
            "{\"\u{1}\":1}",
            #"{"a":true,"b":false,"c":null,"d":tru}"#, #"{"a":true,"b":false,"c":null}"#, "{", "{\"a", "{\"a\":",
            "{\"a\":1",
            "{" + (0..<24).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}",
            "{" + (0..<25).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}",
        ]
    )
    func twoReadings(text: String) {
        let alone = try? Fixtures.object(text)
        #expect(alone == (try? Fixtures.object("{\"x\":\(text)}"))?["x"]?.object)
        #expect(alone?.encoded() == (try? Fixtures.object("{\"x\":\(text)}"))?["x"]?.object?.encoded())
        #expect(alone?.names == (try? Fixtures.object("{\"x\":\(text)}"))?["x"]?.object?.names)
    }

    @Test("A printed or dumped object shows the names of its members, and no value", arguments: [true, false])
    func printsNames(isParsed: Bool) throws {
        let made: JSONObject = ["sub": "alice", "e\nmail": "alice@example.com", "address": ["city": "Oslo"]]
        let object = isParsed ? try JSONObject(parsing: made.encoded()) : made
        #expect("\(object)" == #"JSONObject("sub", "e\nmail", "address")"#)
        var dumped = ""
        dump(object, to: &dumped)
        for value in ["alice", "Oslo", "97"] { #expect(!dumped.contains(value)) }
    }

    @Test("A parsed JSON object can be read, changed, compared and encoded like a constructed one")
    func parsedAndMade() throws {
        var parsed = try Fixtures.object(#"{"a":"text","b":7,"c":[1],"d":"é"}"#)
        let made: JSONObject = ["a": "text", "b": 7, "c": [1], "d": "é"]
        #expect(parsed == made && made == parsed && parsed.hashValue == made.hashValue)
        #expect(parsed.encoded() == made.encoded())
        #expect(
            parsed["a"] == "text" && parsed["b"] == 7 && parsed["c"] == [1] && parsed["d"] == "é" && parsed["e"] == nil
        )
        let before = parsed
        parsed["b"] = nil
        parsed["e"] = true
        #expect(parsed.names == ["a", "c", "d", "e"] && before == made)
    }

    @Test("The JSON limits hold for an object with plain names")
    func limits() throws {
        let text = Array(#"{"a":1,"b":"2","c":[3]}"#.utf8)
        #expect(throws: JSONError.tooManyValues) {
            try JSONObject(parsing: text, limits: JSONLimits(maximumMembers: 4))
        }
        #expect(try JSONObject(parsing: text, limits: JSONLimits(maximumMembers: 5)).count == 3)
        #expect(throws: JSONError.tooDeep) { try JSONObject(parsing: text, limits: JSONLimits(maximumDepth: 1)) }
        #expect(try JSONObject(parsing: text, limits: JSONLimits(maximumDepth: 2)).count == 3)
    }

    @Test("A repeated JSON name is reported without control characters and with at most 64 characters")
    func repeatedNameIsCapped() {
        let name = String(repeating: "n", count: 100)
        #expect(throws: JSONError.duplicateMember(String(repeating: "n", count: 64))) {
            try Fixtures.object("{\"\(name)\":1,\"\(name)\":2}")
        }
        #expect(throws: JSONError.duplicateMember("\u{FFFD}")) { try Fixtures.object(#"{"\n":1,"\n":2}"#) }
    }

    @Test("JSON names that only look alike are different members, in small and in large objects")
    func lookalikeNames() throws {
        let small = try Fixtures.object("{\"\u{212A}\":1,\"e\u{301}\":2,\"\u{E9}\":3}")
        #expect(small["K"] == nil)
        #expect(small["\u{E9}"] == 3)
        let filler = (0..<60).map { "\"\($0)\":0" }.joined(separator: ",")
        var large = try Fixtures.object("{\"\u{212A}\":1,\"e\u{301}\":2,\(filler),\"\u{E9}\":3}")
        #expect(large["K"] == nil)
        #expect(large["e\u{301}"] == 2)
        #expect(large["\u{E9}"] == 3)
        large["K"] = 4
        #expect(large["\u{212A}"] == 1)
        #expect(large.count == 64)
    }

    @Test("A JSON member is found by its own name, and not by another with the same fingerprint")
    func fingerprints() throws {
        // Ten bytes further, the fingerprint takes a byte's second bit for the first of another one.
        let (name, other) = ("axxxxxxxxb", "cxxxxxxxxc")
        let object = try Fixtures.object("{\"\(name)\":1}")
        #expect(object[name] == 1 && object[other] == nil)
        let both = try Fixtures.object("{\"\(name)\":1,\"\(other)\":2}")
        #expect(both[name] == 1 && both[other] == 2)
    }

    @Test("Two JSON strings are equal only with the same bytes, in each place of up to 20")
    func stringEquality() {
        for length in 0...20 {
            let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            let text = JSONValue.string(String(decoding: bytes, as: UTF8.self))
            #expect(text == .string(String(repeating: "a", count: length)))
            #expect(text != .string(String(repeating: "a", count: length + 1)))
            for place in bytes.indices {
                var changed = bytes
                changed[place] = UInt8(ascii: "b")
                #expect(text != .string(String(decoding: changed, as: UTF8.self)))
            }
        }
    }

    @Test("JSON members keep their order; setting replaces in place and nil removes", arguments: [0, 60])
    func editing(filler: Int) {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        for number in 0..<filler { object["filler\(number)"] = 0 }
        object["a"] = "new"
        object["b"] = nil
        object["d"] = 4
        object["absent"] = nil
        #expect(object.names.prefix(2) == ["a", "c"])
        #expect(object.names.last == "d")
        #expect(object["a"] == "new")
        #expect(object["b"] == nil)
        #expect(object["c"] == 3)
        #expect(object["d"] == 4)
        #expect(object.count == 3 + filler)
        #expect(object.members.first?.value == "new")
        object["b"] = 5
        #expect(object.names.last == "b")
    }

    @Test("Equality and hash of JSON objects ignore the order of members")
    func equality() {
        let first: JSONObject = ["a": 1, "b": [true]]
        let second: JSONObject = ["b": [true], "a": 1]
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(first != ["a": 1])
        #expect(first != ["a": 1, "b": [false]])
        #expect(first != ["a": 1, "c": [true]])
    }

    @Test("JSON encoding is compact, in order, and escapes what must be escaped")
    func encoding() {
        let object: JSONObject = [
            "z": "q\"b\\s/\n\u{1F}é😀", "i": -1, "n": 1.5, "b": true, "f": false, "x": .null, "l": [1, "a", []],
            "o": ["k": [:]],
            "inf": .number(.infinity), "nan": .number(.nan),
        ]
        #expect(
            String(decoding: object.encoded(), as: UTF8.self)
                == #"{"z":"q\"b\\s/\u000a\u001fé😀","i":-1,"n":1.5,"b":true,"f":false,"x":null,"l":[1,"a",[]],"o":{"k":{}},"inf":null,"nan":null}"#
        )
        #expect(JSONObject().encoded() == Array("{}".utf8))
    }

    @Test("An encoded JSON object is parsed back unchanged", arguments: [1e300, 2.5e-300, -0.1, 1e21, 123_456_789.125])
    func roundTrip(number: Double) throws {
        let object: JSONObject = ["s": "\u{0}\u{7F}\u{2028}\"\\", "n": .number(number), "i": .integer(.min)]
        #expect(try JSONObject(parsing: object.encoded()) == object)
    }

    @Test("Accessors of a JSON value return their own kind only")
    func accessors() {
        #expect(JSONValue.null.isNull)
        #expect(!JSONValue.bool(false).isNull)
        #expect(JSONValue.integer(3).integer == 3)
        #expect(JSONValue.integer(3).number == 3)
        #expect(JSONValue.number(2.5).number == 2.5)
        #expect(JSONValue.number(2).integer == nil)
        #expect(JSONValue.string("1").number == nil)
        #expect(JSONValue.integer(1).bool == nil)
        #expect(JSONValue.string("a").string == "a")
        #expect(JSONValue.bool(true).bool == true)
        #expect(JSONValue.array([1]).array == [1])
        #expect(JSONValue.object(["a": 1]).object == ["a": 1])
        #expect(JSONValue.array([]).object == nil)
        #expect(JSONValue.object([:]).array == nil)
        #expect(JSONValue.null.string == nil)
    }
}
