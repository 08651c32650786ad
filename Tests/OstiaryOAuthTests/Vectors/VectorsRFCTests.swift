import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Every example of OAuth that the RFCs print")
struct VectorsRFCTests {
    /// Answers the same 32 bytes again and again.
    struct RepeatingGenerator: RandomNumberGenerator {
        let words: [UInt64]
        var count = 0

        init(_ bytes: [UInt8]) {
            words = stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }

        mutating func next() -> UInt64 {
            defer { count += 1 }
            return words[count % words.count]
        }
    }

    @Test("The verifier of RFC 7636 appendix B is sent as its challenge and redeemed unchanged")
    func proofKey() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Vectors").standardized
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "rfc7636.json")))
        let vectors = try #require(JSONObject(parsing: bytes)["proofKeys"]?.array)
        #expect(vectors.count == 1)
        for vector in vectors.compactMap(\.object) {
            let verifier = try #require(vector["verifier"]?.string)
            var random = RepeatingGenerator(try Base64URL.decode(verifier))
            let pending = try AuthorizationRequest().prepared(
                for: Fixtures.client(),
                at: Fixtures.server,
                using: &random
            )
            #expect(Fixtures.query(pending)[.codeChallenge] == vector["challenge"]?.string)
            let form = try Fixtures.grant(pending).exchange().request().form
            #expect(form[.codeVerifier] == verifier)
        }
    }
}
