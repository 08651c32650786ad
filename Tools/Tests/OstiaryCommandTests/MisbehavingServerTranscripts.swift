import Foundation
import OstiaryTesting
import Testing

@Suite("Misbehaving servers", .fewAtOnce)
struct MisbehavingServerTranscripts {
    typealias Answer = LoopbackServer.Answer

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: @Sendable (LoopbackServer.Request) -> Answer
        var failure: FailureWords
    }

    static let cases: [Case] = [
        Case(
            testDescription: "metadata of another issuer",
            answer: { _ in .json(#"{"issuer":"https://id.example.com"}"#) },
            failure: FailureWords(7, "discovery", "mismatch", check: "issuer")
        ),
        Case(
            testDescription: "HTML instead of JSON",
            answer: { _ in .response(200, ["Content-Type: text/html"], body: "<h1>Welcome</h1>") },
            failure: FailureWords(3, "discovery", "malformed")
        ),
        Case(
            testDescription: "truncated JSON",
            answer: { _ in .json(#"{"issuer":"#) },
            failure: FailureWords(3, "discovery", "malformed")
        ),
        Case(
            testDescription: "50 MB",
            answer: { _ in
                [
                    .head(200, ["Content-Type: application/json", "Content-Length: 52428800"]),
                    .endlessly(Array(repeating: 0x20, count: 65_536)),
                ]
            },
            failure: FailureWords(3, "discovery", "transport")
        ),
        Case(
            testDescription: "an answer without an end",
            answer: { _ in
                [.head(200, ["Content-Type: application/json"]), .endlessly(Array(repeating: 0x20, count: 65_536))]
            },
            failure: FailureWords(3, "discovery", "transport")
        ),
        Case(
            testDescription: "nothing at these addresses",
            answer: { _ in .response(404) },
            failure: FailureWords(3, "discovery", "server")
        ),
        Case(
            testDescription: "a server that fails",
            answer: { _ in .response(503) },
            failure: FailureWords(8, "discovery", "server")
        ),
        Case(
            testDescription: "a redirect",
            answer: { _ in .response(302, ["Location: https://id.example.com/"]) },
            failure: FailureWords(3, "discovery", "transport")
        ),
        Case(
            testDescription: "a connection that breaks",
            answer: { _ in [.head(200, ["Content-Length: 100"]), .text("{"), .close] },
            failure: FailureWords(4, "discovery", "transport")
        ),
    ]

    @Test("Every kind of server misbehavior is reported with its own failure", arguments: cases)
    func misbehaviour(_ example: Case) async throws {
        let server = try LoopbackServer(script: example.answer)
        defer { server.stop() }
        let issuer = "http://127.0.0.1:\(server.port)"
        let discovery = try await CommandLineTool().run(["discover", "--issuer", issuer, "--json"])
        #expect(try discovery.failure() == example.failure)
        let login = try await CommandLineTool().run([
            "login", "--issuer", issuer, "--client-id", "app", "--user-agent", "http", "--store", "memory", "--json",
        ])
        #expect(try login.failure() == example.failure)
    }

    @Test("A port without a listener is a network failure")
    func deadPort() async throws {
        let transcript = try await CommandLineTool().run(["discover", "--issuer", "http://127.0.0.1:1", "--json"])
        #expect(try transcript.failure() == FailureWords(4, "discovery", "transport"))
    }
}

extension LoopbackServer.Answer {
    fileprivate static func json(_ text: String) -> Self {
        .response(200, ["Content-Type: application/json"], body: text)
    }
}
