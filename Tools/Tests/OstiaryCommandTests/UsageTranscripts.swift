import Foundation
import Testing

@testable import OstiaryCommand

@Suite("Usage", .fewAtOnce)
struct UsageTranscripts {
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        var environment: [String: String] = [:]
        var output = ""
        var error: [String] = []
        var status: Int32

        var testDescription: String { "ostiary " + arguments.joined(separator: " ") }
    }

    private static let login = ["login", "--issuer", "http://127.0.0.1:1", "--client-id", "app"]

    static let mistakes: [Case] = [
        Case(arguments: ["discover"], error: ["Error: Give --issuer, --identifier or --resource."], status: 2),
        Case(
            arguments: ["discover", "--issuer", "https://a", "--resource", "https://b"],
            error: ["Error: Give --issuer, --identifier or --resource."],
            status: 2
        ),
        Case(
            arguments: ["login", "--store", "memory"],
            error: ["ostiary: Which client? The profile default has none: pass --issuer and --client-id."],
            status: 2
        ),
        Case(arguments: ["login", "--client-id", "app"], error: ["--client-id needs --issuer."], status: 2),
        Case(
            arguments: ["login", "--client-secret-env", "A"],
            error: ["A secret and --client-auth need --client-id"],
            status: 2
        ),
        Case(
            arguments: ["frobnicate"],
            error: ["ostiary: There is no command frobnicate. List the commands: ostiary --help"],
            status: 2
        ),
        Case(arguments: ["token", "--unknown"], error: ["Error: Unknown option '--unknown'"], status: 2),
        Case(arguments: ["token", "--min-valid", "-1"], error: ["--min-valid"], status: 2),
        Case(arguments: ["token", "--min-valid", "soon"], error: ["soon"], status: 2),
        Case(arguments: ["token", "--store", "somewhere"], error: ["--store"], status: 2),
        Case(arguments: ["token", "--profile", "../other"], error: ["--profile"], status: 2),
        Case(arguments: ["token", "--profile", "\u{1B}[2J\u{202E}"], error: [#"\u{1B}[2J\u{202E}"#], status: 2),
        Case(
            arguments: login + ["--timeout", "0"],
            error: ["--timeout must be between 1 and 86400 (seconds)."],
            status: 2
        ),
        Case(arguments: login + ["--max-age=-5"], error: ["--max-age is 0 seconds or more."], status: 2),
        Case(arguments: login + ["--id-token-alg", "none"], error: ["An algorithm is one of RS256"], status: 2),
        Case(
            arguments: login + ["--client-auth", "client_secret_basic"],
            error: ["--client-auth client_secret_basic needs"],
            status: 2
        ),
        Case(
            arguments: login + ["--client-auth", "none", "--client-secret-env", "A"],
            error: ["--client-auth none takes no secret"],
            status: 2
        ),
        Case(
            arguments: login + ["--client-auth", "none", "--client-key", "a"],
            error: ["--client-auth none takes no key"],
            status: 2
        ),
        Case(
            arguments: login + ["--client-auth", "private_key_jwt"],
            error: ["--client-auth private_key_jwt needs --client-key."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-key", "a", "--client-secret-env", "A"],
            error: ["A client has a secret or a key, not both."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-key-alg", "ES256"],
            error: ["--client-key-alg needs --client-key."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-assertion-audience", "token-endpoint"],
            error: ["--client-assertion-audience needs --client-key."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-key", "/nonexistent/key"],
            error: ["ostiary: The key file /nonexistent/key cannot be read: No such file or directory."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-key", "/etc/hostname"],
            error: ["holds no private key: give PEM or one JSON Web Key."],
            status: 2
        ),
        Case(arguments: login + ["--par", "sometimes"], error: ["sometimes"], status: 2),
        Case(arguments: login + ["--security", "none"], error: ["none"], status: 2),
        Case(
            arguments: login + ["--client-secret-file", "a", "--client-secret-env", "A"],
            error: ["Give the client's secret once"],
            status: 2
        ),
        Case(
            arguments: login + ["--client-secret-env", "OSTIARY_NO_SUCH_VARIABLE"],
            error: ["ostiary: The environment variable OSTIARY_NO_SUCH_VARIABLE is not set."],
            status: 2
        ),
        Case(
            arguments: login + ["--client-secret-file", "/nonexistent/secret"],
            error: ["ostiary: The secret file /nonexistent/secret cannot be read: No such file or directory."],
            status: 2
        ),
        Case(arguments: login + ["--http-user", "alice"], error: ["--user-agent http"], status: 2),
        Case(
            arguments: login + ["--user-agent", "http", "--http-user", "alice"],
            error: ["--http-user and --http-password-file go together."],
            status: 2
        ),
        Case(
            arguments: login + ["--user-agent", "http", "--http-one-time-password-file", "f"],
            error: ["--http-one-time-password-file goes with --http-user and --http-password-file."],
            status: 2
        ),
        Case(
            arguments: ["idp", "serve", "--port", "70000"],
            error: ["--port must be between 0 and 65535."],
            status: 2
        ),
        Case(
            arguments: ["idp", "serve", "--config", "a.json", "--user", "bob"],
            error: ["with --config the file does"],
            status: 2
        ),
        Case(
            arguments: ["idp", "serve", "--like", "nobody"],
            error: ["'nobody' is invalid for '--like <name>'", "  - apple\n", "  - keycloak\n", "  - spring\n"],
            status: 2
        ),
        Case(
            arguments: ["idp", "serve", "--like", "logto", "--dialect", "logto"],
            error: ["A dialect has manners of its own: leave out --like."],
            status: 2
        ),
    ]

    static let configurations: [Case] = [
        Case(
            arguments: ["login", "--issuer", "id.example.com", "--client-id", "app"],
            error: ["ostiary: An issuer is a whole URL"],
            status: 3
        ),
        Case(
            arguments: ["discover", "--issuer", "http://id.example.com"],
            error: ["ostiary: An issuer is an https URL"],
            status: 3
        ),
        Case(
            arguments: login + ["--redirect-uri", "http://id.example.com/callback"],
            error: ["An http redirect URI is for this machine only"],
            status: 3
        ),
        Case(
            arguments: login + ["--resource", "https://api.example.com/#part"],
            error: ["ostiary: A resource is a whole URI without a fragment"],
            status: 3
        ),
        Case(arguments: login + ["--redirect-uri", "my_app:/callback"], error: ["underscore"], status: 3),
        Case(
            arguments: ["idp", "serve", "--config", "/nonexistent/idp.json"],
            error: ["ostiary: The file /nonexistent/idp.json cannot be read: No such file or directory."],
            status: 3
        ),
    ]

    static let sessions: [Case] = ["token", "userinfo", "refresh", "status"].map { command in
        Case(
            arguments: [command, "--store", "memory"],
            error: [
                "ostiary: Not signed in (profile \"default\").\n  Run, with your issuer and client: "
                    + "ostiary login --store memory --issuer URL --client-id ID\n"
            ],
            status: 6
        )
    }

    @Test("A mistake is named on standard error", arguments: mistakes + configurations + sessions)
    func mistake(_ example: Case) async throws {
        let transcript = try await CommandLineTool(environment: example.environment).run(example.arguments)
        #expect(transcript.output == example.output)
        for line in example.error { #expect(transcript.error.contains(line)) }
        #expect(transcript.status == example.status)
    }

    @Test("With --json a usage error is one object, and standard error is empty")
    func json() async throws {
        let transcript = try await CommandLineTool().run(["discover", "--json"])
        #expect(
            transcript.output == """
                {"ok":false,"error":{"stage":null,"reason":"usage","check":null,"code":null,\
                "message":"Give --issuer, --identifier or --resource.","recovery":"fixConfiguration"}}

                """
        )
        #expect(transcript.error.isEmpty)
        #expect(transcript.status == 2)
        let none = try await CommandLineTool().run(["token", "--store", "memory", "--json"])
        #expect(try none.failure() == FailureWords(6, "storage", "signInRequired"))
        #expect(none.error.isEmpty)
    }

    @Test("Help, version and completions go to standard output")
    func help() async throws {
        let tool = CommandLineTool()
        let version = try await tool.run(["--version"])
        #expect(version.output == "0.1.0\n" && version.error.isEmpty && version.status == 0)
        for arguments in [["--help"], ["help", "login"], ["login", "--help"], ["idp"]] {
            let help = try await tool.run(arguments)
            #expect(help.output.hasPrefix("OVERVIEW: ") && help.error.isEmpty && help.status == 0)
        }
        let completions = try await tool.run(["--generate-completion-script", "bash"])
        #expect(completions.output.contains("complete") && completions.status == 0)
    }

    @Test("The help lists every exit status")
    func statuses() async throws {
        let help = try await CommandLineTool().run(["--help"])
        for status in 0...10 { #expect(help.output.contains("\n  \(status < 10 ? " " : "")\(status)  ")) }
    }

    @Test("A program that gets no arguments at all, not even its name, fails")
    func noArguments() throws {
        #expect(!Invocation.isPassed([]) && Invocation.isPassed(["ostiary"]))
        var process: pid_t = 0
        // Linux passes an empty name in place of an empty list.
        let path = try CommandLineTool.folder.appending(path: "ostiary").path
        #expect(posix_spawn(&process, path, nil, nil, [nil], [nil]) == 0)
        var status: Int32 = 0
        #expect(waitpid(process, &status, 0) == process && status >> 8 == 2)
    }

    @Test("A closed output pipe does not crash the command")
    func brokenPipe() async throws {
        // A write fails once the reader has gone, however long that takes.
        let transcript = try await CommandLineTool().runInShell(
            #"{ (trap '' PIPE; while echo; do :; done) 2>/dev/null; ostiary --help; echo $? >&2; } | :"#
        )
        #expect(transcript.error == "1\n")
    }
}
