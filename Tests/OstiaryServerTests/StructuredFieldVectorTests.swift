import Foundation
import OstiaryJOSE
import OstiaryServer
import Testing

/// A checkout of httpwg/structured-field-tests. (scripts/suites.sh)
private let checkout = ProcessInfo.processInfo.environment["OSTIARY_STRUCTURED_FIELD_TESTS"].map { URL(filePath: $0) }

/// The items of httpwg/structured-field-tests at the reader of `Client-Cert`.
@Suite("Public vectors of structured fields", .enabled(if: checkout != nil))
struct StructuredFieldVectorTests {
    @Test("An item is read exactly where it is a byte sequence without parameters in its one form")
    func items() throws {
        let folder = try #require(checkout)
        var counts: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".json") {
            for vector in try vectors(folder.appending(path: name)) where vector["header_type"]?.string == "item" {
                let raw = try #require(vector["raw"]?.array).compactMap(\.string)
                let canonical = vector["canonical"]?.array?.compactMap(\.string) ?? raw
                let expected = vector["expected"]?.array
                let isBinary = expected?.first?.object?["__type"]?.string == "binary"
                let hasParameters = expected?.last?.array?.isEmpty == false
                let value = raw.joined(separator: ", ")
                let bytes = CertificateField.byteSequence(Array(value.utf8))
                // A form that a reader may refuse is not the canonical one.
                let mayFail = isBinary && vector["can_fail"]?.bool == true
                let isValid = isBinary && !hasParameters && !mayFail
                let label = Comment(rawValue: "\(name): \(vector["name"]?.string ?? "")")
                #expect((bytes != nil) == isValid, label)
                if let bytes { #expect([":\(Data(bytes).base64EncodedString()):"] == canonical, label) }
                let outcome = mayFail ? "rejected though they may be read" : "rejected"
                counts[bytes == nil ? outcome : "read", default: 0] += 1
            }
        }
        print(
            "structured-field-tests: "
                + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        )
        #expect(counts["read", default: 0] > 0 && counts["rejected", default: 0] > 100)
    }

    private func vectors(_ file: URL) throws -> [JSONObject] {
        // The reader takes objects; a document of any kind is a member of one. The files are larger than an answer.
        let document = Array(#"{"vectors":"#.utf8) + [UInt8](try Data(contentsOf: file)) + Array("}".utf8)
        let limits = JSONLimits(maximumBytes: 64_000_000, maximumDepth: 32, maximumMembers: 4_000_000)
        let vectors = try JSONObject(parsing: document, limits: limits)["vectors"]?.array
        return try #require(vectors).map { try #require($0.object) }
    }
}
