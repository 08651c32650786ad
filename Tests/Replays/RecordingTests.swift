import Foundation
import OstiaryOAuth
import OstiaryTesting
import Testing

@Suite("Reading recordings")
struct RecordingTests {
    private static let head = #"{"steps":[{"step":"read","arguments":["discover","--json"],"exit":0}]}"#
    private static let exchange =
        #"{"n":1,"step":"read","time":1795439808.5,"took":0.1,"method":"GET","url":"https://id.example/a","#
        + #""request":{"headers":[["Accept","a/b"]]},"response":{"status":200,"headers":[],"body":"x"}}"#

    private func recording(_ lines: String...) throws -> Recording {
        try Recording(parsing: Array(lines.joined(separator: "\n").utf8))
    }

    @Test("A head and its exchanges are read")
    func reading() throws {
        let recording = try recording(Self.head, Self.exchange)
        #expect(recording.steps.map(\.name) == ["read"] && recording.steps[0].arguments == ["discover", "--json"])
        let exchange = try #require(recording.exchanges.first)
        #expect(exchange.time == Date(timeIntervalSince1970: 1_795_439_808.5) && exchange.number == 1)
        #expect(exchange.response?.body == Array("x".utf8) && !exchange.isBrowser)
    }

    @Test("A recording that is malformed or too large is rejected with the number of its line")
    func rejected() {
        func line(_ lines: String...) -> Int? {
            do {
                _ = try Recording(parsing: Array(lines.joined(separator: "\n").utf8))
                return nil
            } catch { return (error as? RecordingError)?.line }
        }
        #expect(line("") == 1)
        #expect(line("{}") == 1)
        #expect(line(Self.head, "[]") == 2)
        #expect(line(Self.head, Self.exchange.replacing("GET", with: "G T")) == 2)
        #expect(line(Self.head, Self.exchange.replacing("https://id.example/a", with: "/a")) == 2)
        #expect(line(Self.head, Self.exchange.replacing("1795439808.5", with: "1e300")) == 2)
        #expect(line(Self.head, Self.exchange.replacing("200", with: "99")) == 2)
        #expect(line(Self.head, Self.exchange.replacing(#""response""#, with: #""answer""#)) == 2)
        #expect(line(Self.head, Self.exchange.replacing(#""body":"x""#, with: #""body_base64":"%""#)) == 2)
        let long = String(repeating: "x", count: Recording.Limits.maximumLineBytes)
        #expect(
            line(Self.head, Self.exchange, Self.exchange.replacing(#""body":"x""#, with: #""body":"\#(long)""#)) == 3
        )
        let many = Array(repeating: Self.exchange, count: Recording.Limits.maximumExchanges + 1)
        #expect(line(([Self.head] + many).joined(separator: "\n")) == 0)
    }

    @Test(
        "A body file outside the folder of the recording is rejected",
        arguments: ["/etc/hosts", "../x", "a/../../x"]
    )
    func bodyFile(_ name: String) {
        let line = Self.exchange.replacing(#""body":"x""#, with: #""body_file":"\#(name)""#)
        #expect(throws: RecordingError.self) {
            try Recording(parsing: Array((Self.head + "\n" + line).utf8)) { _ in
                Issue.record("The file was read.")
                return []
            }
        }
    }
}
