import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import ProviderServer
import Testing

@Suite("Recordings", .serialized)
struct RecordingTranscripts {
    @Test("A sign-in and a refresh recorded by the command line are replayed to a client, with the same claims")
    func replayed() async throws {
        try await TestProvider.running { provider async throws in
            let file = provider.folder.path("recording.jsonl")
            let login = try await provider.tool.run(try provider.login("--json", "--record", file))
            #expect(login.status == 0 && login.error.isEmpty)
            let refresh = try await provider.tool.run(["refresh", "--json", "--record=\(file)"])
            #expect(refresh.status == 0)
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(permissions == 0o600)

            let recording = try Recording(contentsOf: URL(filePath: file))
            #expect(recording.steps.map(\.name) == ["1 login", "2 refresh"] && recording.steps.map(\.exit) == [0, 0])
            #expect(!recording.steps[0].arguments.contains { $0.contains(provider.folder.path("")) })
            let claims = try #require(recording.steps[0].answer?["claims"]?.object)
            #expect(try login.json()["claims"] == .object(claims))
            #expect(!recording.exchanges.contains { String(decoding: $0.request.body, as: UTF8.self).contains("pass") })

            let replay = Replay(recording)
            let client = SignInClient(
                issuer: try Issuer(provider.issuer),
                client: try Client(
                    id: DevelopmentProvider.appClientID,
                    redirectURI: try RedirectURI("http://127.0.0.1/callback")
                ),
                configuration: SignInClient.Configuration(
                    userAgent: replay.userAgent,
                    transport: replay.transport,
                    store: MemoryStore(),
                    clock: replay.clock,
                    random: replay.random
                )
            )
            let session = try await client.signIn()
            #expect(session.identity?.claims == claims)
            try await session.refresh()
            #expect(replay.unansweredRequests.isEmpty)
        }
    }

    @Test("A redacted recording contains no secret, and has the command's exit status")
    func redacted() async throws {
        try await TestProvider.running { provider async throws in
            let file = provider.folder.path("recording.jsonl")
            #expect(try await provider.tool.run(try provider.login("--record-redacted", file)).status == 0)
            let info = try await provider.tool.run(["userinfo", "--record-redacted", file])
            #expect(info.status == 0)
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(provider.secrets.found(in: bytes).isEmpty)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("Alice"))
            #expect(try Recording(parsing: Array(bytes)).steps.map(\.exit) == [0, 0])
        }
    }

    @Test("A failure is recorded with its exit status and error")
    func failed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path("recording.jsonl")
        let tool = CommandLineTool()
        let run = try await tool.run(["discover", "--issuer", "http://127.0.0.1:1", "--record", file])
        #expect(run.status == 4)
        let recording = try Recording(contentsOf: URL(filePath: file))
        let step = try #require(recording.steps.first)
        #expect(step.exit == 4 && step.answer?["error"]?.object?["reason"] == "transport")
        #expect(recording.exchanges.allSatisfy { $0.failure == "unreachable" } && !recording.exchanges.isEmpty)
    }

    @Test("A recording leaves the other files of its folder unchanged, also one with the suffix .new")
    func neighbours() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = folder.path("recording.jsonl.new")
        try Data("the user's own\n".utf8).write(to: URL(filePath: own))
        let discover = ["discover", "--issuer", "http://127.0.0.1:1", "--record", folder.path("recording.jsonl")]
        for _ in 1...2 { #expect(try await CommandLineTool().run(discover).status == 4) }
        #expect(try String(contentsOf: URL(filePath: own), encoding: .utf8) == "the user's own\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        #expect(names.sorted() == ["recording.jsonl", "recording.jsonl.new"])
    }

    @Test("A recording to an unusable file is a usage error before anything is sent")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = folder.path("other.txt")
        try Data("something else\n".utf8).write(to: URL(filePath: other))
        let discover = ["discover", "--issuer", "http://127.0.0.1:1"]
        for arguments in [
            ["--record", other], ["--record", folder.path("missing/recording.jsonl")], ["--record"],
            ["--record", folder.path("a"), "--record-redacted", folder.path("b")],
        ] {
            #expect(try await CommandLineTool().run(discover + arguments).status == 2, "\(arguments)")
        }
        #expect(try String(contentsOf: URL(filePath: other), encoding: .utf8) == "something else\n")
    }
}
