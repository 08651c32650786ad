import OstiaryJOSE
import Testing

@Suite("JSON limits")
struct JSONLimitsTests {
    @Test("JSON of the maximum size is parsed, and one byte more is rejected")
    func bytes() throws {
        let text = Array("{\"a\":1}".utf8)
        #expect(try JSONObject(parsing: text, limits: JSONLimits(maximumBytes: 7)).count == 1)
        #expect(throws: JSONError.tooLarge) { try JSONObject(parsing: text, limits: JSONLimits(maximumBytes: 6)) }
    }

    @Test("JSON nested to the limit is parsed, and one level more is rejected")
    func depth() throws {
        let limits = JSONLimits(maximumDepth: 3)
        #expect(try JSONObject(parsing: Array("{\"a\":[[1]],\"b\":[[2]]}".utf8), limits: limits).count == 2)
        #expect(throws: JSONError.tooDeep) { try JSONObject(parsing: Array("{\"a\":[[[]]]}".utf8), limits: limits) }
        #expect(throws: JSONError.tooDeep) {
            try JSONObject(parsing: Array("{\"a\":{\"a\":{\"a\":{}}}}".utf8), limits: limits)
        }
    }

    @Test("JSON with 100,000 open brackets is rejected, whatever depth the caller allows")
    func manyBrackets() {
        let limits = JSONLimits(maximumBytes: .max, maximumDepth: .max, maximumMembers: .max)
        for open in ["[", "{\"a\":"] {
            let text = "{\"a\":" + String(repeating: open, count: 100_000)
            #expect(throws: JSONError.tooDeep) { try JSONObject(parsing: Array(text.utf8), limits: limits) }
        }
    }

    @Test("JSON with the maximum number of values is parsed, and one more is rejected")
    func values() throws {
        let limits = JSONLimits(maximumMembers: 4)
        #expect(try JSONObject(parsing: Array("{\"a\":[1,2]}".utf8), limits: limits).count == 1)
        #expect(throws: JSONError.tooManyValues) {
            try JSONObject(parsing: Array("{\"a\":[1,2,3]}".utf8), limits: limits)
        }
    }

    @Test("A JSON object of 100,000 members is checked for repeated names in bounded time")
    func largeObject() throws {
        let limits = JSONLimits(maximumBytes: .max, maximumMembers: 200_000)
        let members = (0..<100_000).map { "\"name\($0)\":\($0)" }
        let object = try JSONObject(parsing: Array("{\(members.joined(separator: ","))}".utf8), limits: limits)
        #expect(object["name99999"] == 99_999)
        let repeated = "{\(members.joined(separator: ",")),\"name5\":1}"
        #expect(throws: JSONError.duplicateMember("name5")) {
            try JSONObject(parsing: Array(repeated.utf8), limits: limits)
        }
    }
}
