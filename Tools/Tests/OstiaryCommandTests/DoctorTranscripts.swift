import Foundation
import OstiaryJOSE
import OstiaryTesting
import Testing

@Suite("ostiary doctor", .fewAtOnce)
struct DoctorTranscripts {
    private static let fixtures: URL = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ProjectDoctorTests/Fixtures")
    private static let reader: String = fixtures.appending(path: "Reader").path
    private static let broken: String = fixtures.appending(path: "Broken").path
    private static let association: String = fixtures.appending(path: "apple-app-site-association.json").path

    /// The tool, which may not print the secret of the broken project.
    private var tool: CommandLineTool {
        let tool = CommandLineTool()
        tool.secrets.add("s3cr3t-that-must-not-be-shown")
        return tool
    }

    @Test("A correct project passes the doctor, which lists what it examined")
    func good() async throws {
        let transcript = try await tool.run(["doctor", "--project", Self.reader, "--association", Self.association])
        #expect(
            transcript.output == """
                app Reader (ABCDE12345.com.example.reader)
                extension Shelf (ABCDE12345.com.example.reader.shelf)
                app ReaderMac (ABCDE12345.com.example.readermac)
                redirect URI https://reader.example.com/callback (Reader/SignIn.swift:8)
                redirect URI http://127.0.0.1/callback (ReaderMac/ReaderMacApp.swift:5)

                Nothing is wrong.

                """
        )
        #expect(transcript.error == "")
        #expect(transcript.status == 0)
    }

    @Test("A broken project is reported with line, found and expected value, and exits with 3")
    func broken() async throws {
        let transcript = try await tool.run(["doctor", "--project", Self.broken])
        #expect(
            transcript.output.hasPrefix(
                """
                app App (com.example.broken)
                system logi
                redirect URI my_app://oauth/callback (App/AppDelegate.swift:13)

                App/App.entitlements:7: problem: com.apple.developer.associated-domains[0]: api.1pass.dev is the \
                provider's: its sign-in page would open in this app, which then finds no code in it (a spurious \
                missingCode). Claim hosts of your own only. [applinks-of-provider]
                  now: applinks:api.1pass.dev
                  fix: Remove the line.
                  see: logi, iOS (Swift): Troubleshooting

                """
            )
        )
        #expect(
            transcript.output.contains(
                """
                App/Info.plist:17: problem: OAuthClientSecret: Anyone who has the app has it: a client in an app is \
                public, and has no secret. Remove it, and make a new one at the provider if it was shipped. \
                [secret-in-list]
                  now: [redacted]
                  fix: Remove the line.
                  see: RFC 8252 section 8.5

                """
            )
        )
        #expect(transcript.output.hasSuffix("\n\n7 problems, 2 warnings, 1 note.\n"))
        #expect(transcript.error == "ostiary: The project has 7 problems.\n")
        #expect(transcript.status == 3)
    }

    @Test("With --json a broken project is one object with the failure and every finding")
    func json() async throws {
        let transcript = try await tool.run(["doctor", "--project", Self.broken, "--json"])
        #expect(try transcript.failure() == FailureWords(3, nil, "configuration"))
        let object = try transcript.json()
        #expect(object["schema"]?.integer == 1)
        #expect(object["counts"]?.object == ["problems": 7, "warnings": 2, "notes": 1])
        #expect(object["systems"]?.array == ["logi"])
        let findings = try #require(object["findings"]?.objects)
        #expect(
            findings.map { $0["rule"]?.string } == [
                "applinks-of-provider", "associated-domain-mode", "scene-open-url", "scheme-underscore",
                "scheme-without-dot", "query-of-system", "scheme-underscore", "secret-in-list", "keychain-migrates",
                "privacy-manifest",
            ]
        )
        #expect(
            findings.first == [
                "rule": "applinks-of-provider", "severity": "problem", "file": "App/App.entitlements", "line": 7,
                "key": "com.apple.developer.associated-domains[0]",
                "message": """
                api.1pass.dev is the provider's: its sign-in page would open in this app, which then finds no code \
                in it (a spurious missingCode). Claim hosts of your own only.
                """,
                "now": "applinks:api.1pass.dev", "fix": "Remove the line.",
                "source": "logi, iOS (Swift): Troubleshooting",
            ]
        )
    }

    static let projects: [[String]] = [
        ["--project", broken], ["--project", reader], ["--project", reader, "--association", association],
        ["--project", fixtures.path, "--system", "zephr", "--system", "curity", "--issuer", "https://id.example.org"],
        ["--project", broken, "--redirect-uri", "https://user:s3cr3t-that-must-not-be-shown@a.example.com/?token=x"],
    ]

    @Test("The doctor's JSON output matches its schema", arguments: projects)
    func schema(_ arguments: [String]) async throws {
        let schema = Self.fixtures.appending(path: "../../../../docs/doctor.schema.json")
        let bytes = Array(try Data(contentsOf: schema))
        let object = try await tool.run(["doctor", "--json"] + arguments).json()
        #expect(try JSONSchema(JSONObject(parsing: bytes)).violations(of: .object(object)) == [])
    }

    @Test("Notes and warnings alone end with 0")
    func warnings() async throws {
        let transcript = try await tool.run(["doctor", "--project", Self.reader])
        #expect(transcript.output.hasSuffix("0 problems, 0 warnings, 1 note.\n"))
        #expect(
            transcript.output.contains(
                "--association https://reader.example.com/.well-known/apple-app-site-association"
            )
        )
        #expect(transcript.status == 0)
    }

    @Test("A redirect URI on the command line replaces those of the sources")
    func given() async throws {
        let transcript = try await tool.run([
            "doctor", "--project", Self.reader, "--redirect-uri", "com.example.other:/callback", "--target", "Reader",
            "--json",
        ])
        let rules = try transcript.json()["findings"]?.objects?.compactMap { $0["rule"]?.string }
        #expect(rules == ["scheme-unregistered", "redirect-one-slash", "redirect-custom"])
    }

    @Test("An association file is fetched once, and compared with the app")
    func fetched() async throws {
        let json = try String(contentsOfFile: Self.association, encoding: .utf8)
        let server = try LoopbackServer { request in
            request.target == "/.well-known/apple-app-site-association"
                ? .response(200, ["Content-Type: application/json"], body: json) : .response(404)
        }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/.well-known/apple-app-site-association"
        let good = try await tool.run(["doctor", "--project", Self.reader, "--association", url])
        #expect(good.output.hasSuffix("Nothing is wrong.\n"))
        let other = try await tool.run([
            "doctor", "--project", Self.reader, "--association", url, "--bundle-id", "com.example.other", "--json",
        ])
        let rules: [String] = try other.json()["findings"]?.objects?.compactMap { $0["rule"]?.string } ?? []
        #expect(Set(rules).isSuperset(of: ["association-webcredentials", "association-applinks"]))
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: LoopbackServer.Answer
        var rules: [String]
    }

    static let answers: [Answer] = [
        Answer(
            testDescription: "a redirect",
            answer: .response(301, ["Location: https://www.example.com/"]),
            rules: ["association-transport"]
        ),
        Answer(testDescription: "nothing", answer: .response(404), rules: ["association-transport"]),
        Answer(
            testDescription: "a page",
            answer: .response(200, ["Content-Type: text/html"], body: "<h1>Welcome</h1>"),
            rules: ["association-transport", "association-form"]
        ),
        Answer(
            testDescription: "an answer without an end",
            answer: [
                .head(200, ["Content-Type: application/json"]), .endlessly(Array(repeating: 0x20, count: 65_536)),
            ],
            rules: ["association-size"]
        ),
    ]

    @Test("An association file that Apple would reject is a finding", arguments: answers)
    func refused(_ example: Answer) async throws {
        let server = try LoopbackServer { _ in example.answer }
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/.well-known/apple-app-site-association"
        let transcript = try await tool.run(["doctor", "--project", Self.reader, "--association", url, "--json"])
        let rules = try transcript.json()["findings"]?.objects?.compactMap { $0["rule"]?.string }
        #expect(rules == example.rules)
        #expect(transcript.status == 3)
    }

    @Test("An http association address elsewhere is not requested")
    func insecure() async throws {
        let transcript = try await tool.run([
            "doctor", "--project", Self.reader, "--association",
            "http://reader.example.invalid/.well-known/apple-app-site-association", "--json",
        ])
        let rules = try transcript.json()["findings"]?.objects?.compactMap { $0["rule"]?.string }
        #expect(rules == ["association-transport", "association-host"])
    }

    @Test("An association host that does not respond is a network failure")
    func unreachable() async throws {
        let transcript = try await tool.run([
            "doctor", "--project", Self.reader, "--association", "http://127.0.0.1:1/.well-known/x", "--json",
        ])
        #expect(try transcript.failure() == FailureWords(4, "discovery", "transport"))
    }

    static let mistakes: [([String], String)] = [
        ([], "Give an issuer, such as https://id.example.com, or --project"),
        (
            ["--project", "https://id.example.com"],
            "https://id.example.com is a URL, and no folder. Run: ostiary doctor https://id.example.com"
        ),
        (["--project", "/nonexistent"], "ostiary: There is no folder /nonexistent."),
        (["--project", #filePath], "DoctorTranscripts.swift is a file: give the folder that holds the .xcodeproj."),
        (
            ["--project", reader, "--association", "/nonexistent"],
            "ostiary: The association file /nonexistent cannot be read: No such file or directory."
        ),
        (["--project", reader, "--association", "https://"], "https:// is not the URL of an association file."),
        (["--project", reader, "--system", "other"], "other"),
        (["--project", reader, "--target", "Nobody"], "ostiary: The project has no app or extension named Nobody."),
    ]

    @Test("A mistake in the doctor's arguments exits with 2", arguments: mistakes)
    func mistake(_ arguments: [String], _ error: String) async throws {
        let transcript = try await tool.run(["doctor"] + arguments)
        #expect(transcript.output == "")
        #expect(transcript.error.contains(error))
        #expect(transcript.status == 2)
    }

    @Test("A folder in place of an issuer is refused with the command that checks the project, which works")
    func folderAsIssuer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let project = folder.path("My App")
        try FileManager.default.copyItem(atPath: Self.reader, toPath: project)
        for path in [project, project + "/Reader.xcodeproj", project + "/Reader.xcodeproj/"] {
            let transcript = try await tool.run(["doctor", path])
            #expect(transcript.status == 2)
            #expect(transcript.error.contains(" is a folder, and no issuer. Run: ostiary doctor --project '"))
            let line = try #require(transcript.error.split(separator: "\n").first { $0.contains("Run: ") })
            let command = try #require(line.components(separatedBy: "Run: ").last)
            #expect(command == "ostiary doctor --project '\(project)'")
            #expect(try await tool.runInShell(command).output.contains("0 problems, "))
        }
    }

    @Test("The doctor exits with 2 for a folder without a project")
    func empty() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try folder.secretFile("notes.txt", "nothing")
        let transcript = try await tool.run(["doctor", "--project", folder.path("")])
        #expect(transcript.error.contains("holds no Xcode project, no property list and no Swift file."))
        #expect(transcript.status == 2)
    }

    @Test("Names and values of the project cannot control the terminal")
    func terminal() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        _ = try folder.secretFile("A\u{1B}[2J.swift", "let redirectURI = \"my\u{202E}app://x\"")
        let transcript = try await tool.run(["doctor", "--project", folder.path("")])
        #expect(transcript.output.contains(#"A\u{1B}[2J.swift:1"#))
        #expect(transcript.output.contains(#"my\u{202E}app"#))
        #expect(!transcript.output.contains("\u{1B}") && !transcript.output.unicodeScalars.contains("\u{202E}"))
    }
}
