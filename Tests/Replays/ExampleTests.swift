import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("The code of docs/recordings.md")
struct ExampleTests {
    @Test("The code of the page replays a recording")
    func example() async throws {
        let file = Recordings.folder.appending(path: "keycloak/native-client.jsonl")
        let issuer = "http://127.0.0.1:4710/realms/contact"
        // docs/recordings.md: begin
        let replay = Replay(try Recording(contentsOf: file, bodiesIn: file.deletingLastPathComponent()))
        let client = SignInClient(
            issuer: try Issuer(issuer),
            client: try Client(id: "native", redirectURI: try RedirectURI("http://127.0.0.1/callback")),
            configuration: SignInClient.Configuration(
                userAgent: replay.userAgent,
                transport: replay.transport,
                store: MemoryStore(),
                clock: replay.clock,
                random: replay.random
            )
        )
        let session = try await client.signIn(AuthorizationRequest(pushing: .never))
        #expect(session.identity?.claims["name"] == "Alice Example")
        try await session.refresh()
        // docs/recordings.md: end
    }

    @Test("The page shows the code that is compiled here")
    func page() throws {
        func between(_ begin: String, _ end: String, in text: String) throws -> [Substring] {
            let start = try #require(text.range(of: begin))
            let rest = text[start.upperBound...]
            let stop = try #require(rest.range(of: end))
            return rest[..<stop.lowerBound].split(separator: "\n").map { $0.drop { $0 == " " } }
                .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
        }
        let page = Recordings.folder.appending(path: "../../../docs/recordings.md").standardizedFileURL
        let shown = try between("```swift", "```", in: String(contentsOf: page, encoding: .utf8))
        let marker = "// docs/recordings.md: "
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        #expect(shown == (try between(marker + "begin\n", marker + "end\n", in: source)))
    }
}
