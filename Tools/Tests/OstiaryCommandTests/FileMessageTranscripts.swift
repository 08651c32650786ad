import Foundation
import ProviderServer
import Testing

@Suite("Messages about files and ports", .fewAtOnce)
struct FileMessageTranscripts {
    private static let login = ["login", "--issuer", "http://127.0.0.1:1", "--client-id", "app", "--store", "memory"]

    struct Content: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let found: String
    }

    static let contents = [
        Content(testDescription: "nothing", text: "", found: "is empty: write the secret into it."),
        Content(
            testDescription: "a line feed",
            text: "\n",
            found: "holds only spaces and line feeds: write the secret into it as one line."
        ),
        Content(
            testDescription: "spaces",
            text: "  \t \n",
            found: "holds only spaces and line feeds: write the secret into it as one line."
        ),
        Content(
            testDescription: "two lines",
            text: "one\ntwo\n",
            found: "holds 2 lines: write the secret into it as one line."
        ),
    ]

    @Test("A secret file without a secret is refused, and makes no public client", arguments: contents)
    func secret(_ content: Content) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path("secret")
        try Data(content.text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let client = ["--issuer", "http://127.0.0.1:1", "--client-id", "app", "--client-secret-file", file]
        let token = ["--token-file", try folder.secretFile("token", "abc")]
        for command in [
            ["login", "--store", "memory"], ["device", "--store", "memory"], ["client-credentials"],
            ["introspect"] + token, ["revoke"] + token,
        ] {
            let transcript = try await CommandLineTool().run(command + client)
            #expect(transcript.status == 2, "\(command)")
            #expect(transcript.error == "ostiary: The secret file \(file) \(content.found)\n", "\(command)")
        }
        let probe = try await CommandLineTool().run(["probe", "--client-secret-file", file, "--", "true"])
        #expect(probe.status == 2 && probe.error.contains(content.found))
    }

    @Test("An empty variable for a secret is refused, with other words than a missing one")
    func variable() async throws {
        let transcript = try await CommandLineTool(environment: ["EMPTY": ""]).run(
            Self.login + ["--client-secret-env", "EMPTY"]
        )
        #expect(transcript.status == 2)
        #expect(transcript.error == "ostiary: The environment variable EMPTY is empty.\n")
    }

    @Test("A secret between empty lines is read")
    func emptyLines() async throws {
        try await TestProvider.running { provider in
            let file = try provider.folder.secretFile("secret", "\n\(TestProvider.clientSecret)\r\n")
            let login = try await provider.tool.run(try provider.login("--client-secret-file", file, client: "basic"))
            #expect(login.status == 0)
        }
    }

    static let unreadable: [[String]] = [
        login + ["--client-secret-file", "PATH"], login + ["--client-key", "PATH"], login + ["--metadata", "PATH"],
        ["discover", "--issuer", "http://127.0.0.1:1", "--ca-file", "PATH"], ["jwt", "decode", "PATH"],
        ["jwt", "verify", "/etc/hostname", "--jwks", "PATH", "--audience", "a"],
        ["sessions", "import", "--store", "memory", "--passphrase-env", "PASSPHRASE", "--input-file", "PATH"],
        ["idp", "serve", "--config", "PATH"],
    ]

    @Test(
        "A file that cannot be read is named with the system's reason",
        arguments: unreadable,
        [("/nonexistent/file", "No such file or directory"), ("/", "Is a directory")]
    )
    func reading(arguments: [String], file: (path: String, reason: String)) async throws {
        let tool = CommandLineTool(environment: ["PASSPHRASE": "a passphrase"])
        let transcript = try await tool.run(arguments.map { $0 == "PATH" ? file.path : $0 })
        #expect(transcript.status == 2 || transcript.status == 3)
        #expect(transcript.error.contains("file \(file.path) cannot be read: \(file.reason)."))
    }

    static let unwritable: [[String]] = [
        ["key", "make", "--output-file", "PATH"], ["status", "--store", "memory", "--trace", "PATH"],
        ["status", "--store", "memory", "--record", "PATH"],
        ["idp", "serve", "--port", "0", "--ready-file", "PATH"],
    ]

    @Test("A file that cannot be written is named with the system's reason", arguments: unwritable)
    func writing(arguments: [String]) async throws {
        let path = "/nonexistent/file"
        let transcript = try await CommandLineTool().run(arguments.map { $0 == "PATH" ? path : $0 })
        #expect(transcript.status == 2)
        #expect(transcript.error.contains("\(path)") && transcript.error.contains("cannot be written: No such file or"))
    }

    #if os(Linux)
        @Test("A full disk is reported with the system's reason")
        func full() async throws {
            let transcript = try await CommandLineTool().run([
                "discover", "--issuer", "http://127.0.0.1:1", "--trace", "/dev/full",
            ])
            #expect(transcript.status == 1)
            #expect(transcript.error.contains("The file /dev/full cannot be written: No space left on device."))
        }
    #endif

    @Test("A port in use and an address of another machine are named with the system's reason")
    func listening() async throws {
        try await TestProvider.running { provider in
            let port = "\(provider.server.port)"
            let serve = try await provider.tool.run(["idp", "serve", "--port", port])
            #expect(serve.status == 3)
            #expect(serve.error.hasPrefix("ostiary: 127.0.0.1:\(port) is already in use. "))
            let probe = try await provider.tool.run(["probe", "--port", port, "--", "true"])
            #expect(probe.status == 2)
            #expect(
                probe.error == "ostiary: The provider cannot listen on 127.0.0.1:\(port): Address already in use. "
                    + "Name another port: --port PORT\n"
            )
        }
        let elsewhere = try await CommandLineTool().run([
            "idp", "serve", "--port", "0", "--host", "192.0.2.1", "--issuer", "https://id.example.com",
        ])
        #expect(elsewhere.status == 3)
        #expect(
            elsewhere.error == "ostiary: Cannot listen on 192.0.2.1:0: Cannot assign requested address. "
                + "This machine does not have it; --host 0.0.0.0 is every one.\n"
        )
    }

    @Test("A probed program that does not exist is named", arguments: ["no-such-program", "/nonexistent/client"])
    func program(name: String) async throws {
        let transcript = try await CommandLineTool().run(["probe", "--", name])
        #expect(transcript.status == 2)
        #expect(transcript.error == "ostiary: The command \(name) cannot be run: No such file or directory.\n")
    }

    @Test("A public client that is probed takes no secret")
    func publicClient() async throws {
        let transcript = try await CommandLineTool().run([
            "probe", "--client-auth", "none", "--client-secret-file", "/etc/hostname", "--", "true",
        ])
        #expect(transcript.status == 2 && transcript.error.contains("leave out --client-secret-file."))
    }
}
