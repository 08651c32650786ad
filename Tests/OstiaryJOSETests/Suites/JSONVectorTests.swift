import OstiaryJOSE
import Testing

/// The files of nst/JSONTestSuite at the JSON reader.
@Suite("Public vectors of JSON", .enabled(if: VectorFolder.json != nil))
struct JSONVectorTests {
    /// Documents of the grammar that are rejected on purpose: a repeated member could mean one thing to the check and
    /// another to the reader of the value. (RFC 8259 section 4, RFC 7519 section 4)
    private static let refusedOnPurpose: Set<String> = [
        "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
    ]

    @Test("A valid JSON vector is parsed unless it repeats a member, and an invalid one is rejected")
    func documents() throws {
        let folder = try #require(VectorFolder.json)
        var counts: [String: Int] = [:]
        for name in try folder.names(in: "test_parsing") where name.hasSuffix(".json") {
            // The reader takes objects; a document of any kind is a member of one.
            let document = Array(#"{"document":"#.utf8) + (try folder.bytes("test_parsing/\(name)")) + Array("}".utf8)
            let isRead = (try? JSONObject(parsing: document)) != nil
            switch name.prefix(2) {
            case "y_": #expect(isRead == !Self.refusedOnPurpose.contains(name), Comment(rawValue: name))
            case "n_": #expect(!isRead, Comment(rawValue: name))
            // i_: either outcome is allowed; the reader has to end.
            default: break
            }
            counts["\(name.prefix(1)) \(isRead ? "read" : "rejected")", default: 0] += 1
        }
        print(
            "JSONTestSuite: \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        #expect(counts["n rejected", default: 0] > 100 && counts["y read", default: 0] > 50)
    }
}
