import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Error messages and their next steps", .fewAtOnce)
struct MessageTranscripts {
    /// The next step that a message prints, which a user pastes into a shell.
    private func advice(_ transcript: CommandLineTool.Transcript) throws -> String {
        let line = try #require(transcript.error.split(separator: "\n").last { $0.contains("Run: ") })
        return String(try #require(line.components(separatedBy: "Run: ").last))
    }

    @Test("The home folder is HOME, as a sandbox sets it")
    func home() async throws {
        try await TestProvider.running { provider async throws in
            var tool = provider.tool
            tool.environment["XDG_STATE_HOME"] = nil
            tool.environment["XDG_CONFIG_HOME"] = nil
            tool.environment["HOME"] = provider.folder.path("home")
            #expect(try await tool.run(try provider.login()).status == 0)
            for path in ["home/.local/state/ostiary", "home/.config/ostiary/store.key"] {
                #expect(FileManager.default.fileExists(atPath: provider.folder.path(path)))
            }
        }
    }

    @Test("A signed-out profile keeps its client, and the printed login signs in again when it is pasted")
    func signInAgain() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let arguments = try provider.login()
            let place = ["--profile", "work", "--store", "file:\(provider.folder.path("a store"))"]
            #expect(try await tool.run(arguments + place).status == 0)
            #expect(try await tool.run(["logout"] + place).output.hasPrefix("Signed out"))
            let token = try await tool.run(["token"] + place)
            #expect(token.status == 6 && token.error.hasPrefix("ostiary: Not signed in (profile \"work\").\n"))
            let line = try advice(token)
            #expect(line == "ostiary login --profile work --store 'file:\(provider.folder.path("a store"))'")
            let person = arguments.drop { $0 != "--user-agent" }.map { "'\($0)'" }.joined(separator: " ")
            let pasted = try await tool.runInShell(line + " " + person)
            #expect(pasted.status == 0 && pasted.output.hasPrefix("Signed in at \(provider.issuer)\n"))
            let again = try await tool.run(["logout"] + place + ["--json"])
            #expect(again.status == 0)
            let twice = try await tool.run(["logout"] + place)
            #expect(twice.status == 0 && twice.output == "Already signed out (profile \"work\").\n")
        }
    }

    @Test("The printed login of a profile without a client takes an issuer and a client")
    func noClient() async throws {
        try await TestProvider.running { provider async throws in
            let line = try #require(
                try await provider.tool.run(["userinfo"]).error.components(separatedBy: "issuer and client: ").last
            )
            let person = try provider.login().drop { $0 != "--user-agent" }.map { "'\($0)'" }.joined(separator: " ")
            let filled = line.trimmingCharacters(in: .newlines).replacingOccurrences(of: "URL", with: provider.issuer)
                .replacingOccurrences(of: "ID", with: DevelopmentProvider.appClientID)
            #expect(try await provider.tool.runInShell(filled + " " + person).status == 0)
        }
    }

    @Test("A revoked access token is not printed again")
    func revoked() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let first = try await tool.run(["token"], printing: .onPurpose).output
            #expect(try await tool.run(["revoke"]).status == 0)
            let second = try await tool.run(["token"], printing: .onPurpose)
            #expect(second.status == 0 && second.output != first)
            #expect(try await tool.run(["token"], printing: .onPurpose).output == second.output)
            #expect(try await tool.run(["userinfo"]).status == 0)
        }
    }

    @Test("A session without a refresh token says until when its token is valid, and the printed login gets one")
    func notRefreshable() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let arguments = try provider.login("--scope", "openid")
            #expect(try await tool.run(arguments).status == 0)
            let refresh = try await tool.run(["refresh"])
            #expect(refresh.status == 6)
            #expect(refresh.error.hasPrefix("ostiary: The session has no refresh token, so it cannot be refreshed."))
            #expect(refresh.error.contains("The current token is valid until 20"))
            let person = arguments.drop { $0 != "--user-agent" }.prefix(6).map { "'\($0)'" }.joined(separator: " ")
            #expect(try await tool.runInShell(try advice(refresh) + " " + person).status == 0)
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("A token given as an argument is not repeated")
    func tokenAsArgument() async throws {
        let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"
        for command in [["jwt", "decode"], ["jwt", "verify", "--issuer", "https://id.example.com"]] {
            let transcript = try await CommandLineTool().run(command + [token])
            #expect(transcript.status == 2 && transcript.error.hasPrefix("ostiary: That is a token, not a file."))
            #expect(
                !transcript.error.contains("eyJ") && transcript.error.contains("ostiary token | ostiary jwt decode")
            )
        }
        let long = try await CommandLineTool().run(["token", "--profile", String(repeating: "a", count: 5000)])
        #expect(long.status == 2 && long.error.utf8.count < 2000)
    }

    @Test("An exchange without a place for its token is refused before anything is sent")
    func exchange() async throws {
        let transcript = try await CommandLineTool().run([
            "exchange", "--issuer", "http://127.0.0.1:1", "--client-id", "a", "--subject-token-file", "/etc/hostname",
        ])
        #expect(transcript.status == 2)
        #expect(transcript.error.contains("Pass --output-file FILE, or --output-file - to print the new token."))
    }

    @Test(
        "A misspelled command is named, with the nearest one",
        arguments: [
            (["logn", "--issuer", "x"], "There is no command logn. Did you mean: ostiary login?"),
            (["nosuch"], "There is no command nosuch. List the commands: ostiary --help"),
            (["jwt", "decod"], "There is no command decod of ostiary jwt. Did you mean: ostiary jwt decode?"),
            (["help", "nosuch"], "There is no command nosuch."),
            (["help", "register", "manage"], "There is no command manage of ostiary register."),
        ]
    )
    func unknownCommand(arguments: [String], message: String) async throws {
        let transcript = try await CommandLineTool().run(arguments)
        #expect(transcript.status == 2 && transcript.output.isEmpty)
        #expect(transcript.error.hasPrefix("ostiary: " + message))
        #expect(try await CommandLineTool().run(["help", "register", "read"]).status == 0)
    }

    @Test("A host that refuses connections is named with its port and the system's reason")
    func unreachable() async throws {
        let port = try freePort()
        let transcript = try await CommandLineTool().run(["discover", "--issuer", "http://127.0.0.1:\(port)"])
        #expect(transcript.status == 4)
        #expect(transcript.error.hasPrefix("ostiary: Cannot connect to 127.0.0.1:\(port) (Connection refused).\n"))
    }

    @Test("Metadata of another issuer is shown with the issuer to use, which works when pasted")
    func otherIssuer() async throws {
        try await TestProvider.running { provider async throws in
            let port = try #require(URL(string: provider.issuer)?.port)
            let mistaken = "http://localhost:\(port)"
            let transcript = try await provider.tool.run(["discover", "--issuer", mistaken])
            #expect(transcript.status == 7)
            #expect(transcript.error.contains("\(mistaken)/.well-known/"))
            let issuer = try #require(transcript.error.components(separatedBy: "--issuer ").last)
            let mended = issuer.trimmingCharacters(in: .newlines)
            #expect(try await provider.tool.run(["discover", "--issuer", mended]).status == 0)
        }
    }

    @Test("An issuer that rejects the sign-in request is quoted, and the client and its redirect URI are named")
    func rejectedRequest() async throws {
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(try provider.login("--par", "never", client: "nobody"))
            #expect(login.error.hasPrefix("ostiary: The issuer rejected the sign-in request (400): \""))
            #expect(login.error.contains("There is no client with this client_id."))
            #expect(login.error.contains("the client nobody has the redirect URI http://127.0.0.1/callback at "))
        }
    }

    @Test("Scopes that were not granted are listed")
    func notGranted() async throws {
        try await TestProvider.running({ scenario in
            scenario.tokenResponse = { object, _ in object["scope"] = "openid" }
        }) { provider async throws in
            let arguments = try provider.login("--scope", "openid email")
            #expect(try await provider.tool.run(arguments).output.contains("  not granted   email\n"))
            #expect(try await provider.tool.run(arguments + ["--json"]).json()["notGranted"] == "email")
        }
    }

    @Test("A request that is refused shows its status on standard error")
    func requestStatus() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let url = provider.issuer + "/nowhere"
            let request = try await tool.run(["request", "GET", url, "--allow-origin", provider.issuer])
            #expect(request.status == 1 && request.error == "ostiary: GET \(url): 404\n")
        }
    }

    @Test("A missing profile and a signed-out profile have two messages")
    func noProfile() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login("--profile", "work")).status == 0)
            let removed = try await tool.run(["sessions", "remove", "--profile", "nope"])
            #expect(removed.status == 6)
            #expect(removed.error == "ostiary: There is no profile \"nope\" in the store.\n  It has: work\n")
        }
    }

    @Test("An export does not overwrite a file without --force, and says so before hashing the passphrase")
    func export() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let file = try provider.folder.secretFile("export", "mine")
            let secret = ["--passphrase-file", try provider.folder.secretFile("passphrase", "a passphrase")]
            let export = ["sessions", "export", "--output-file", file] + secret
            let refused = try await tool.run(export)
            #expect(
                refused.status == 2 && refused.error.hasSuffix("is there already: name another one, or add --force.\n")
            )
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine\n")
            #expect(try await tool.run(export + ["--force"]).status == 0)
        }
    }

    @Test("A verified token is reported with the comparisons that were not made")
    func partlyVerified() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try SigningKey.generate(.es256)
        let now = Int(Date.now.timeIntervalSince1970)
        let token = try key.sign(claims: ["iat": .integer(now), "exp": .integer(now + 60)])
        let set: JSONObject = ["keys": .array([.object(key.publicKey.jsonObject)])]
        let keys = try folder.secretFile("keys", String(decoding: set.encoded(), as: UTF8.self))
        let transcript = try await CommandLineTool().run([
            "jwt", "verify", try folder.secretFile("token", token), "--jwks", keys,
        ])
        #expect(
            transcript.output.hasPrefix(
                "Valid, but not everything was compared: give --issuer and --audience and --type\n"
            )
        )
    }

    @Test("FAPI 2 without a key or without bound tokens names the options that it needs")
    func profileOptions() async throws {
        let login = ["login", "--issuer", "http://127.0.0.1:1", "--client-id", "a", "--store", "memory"]
        let transcript = try await CommandLineTool().run(login + ["--security", "fapi2"])
        #expect(transcript.status == 2)
        #expect(transcript.error == "ostiary: --security fapi2 needs --client-key FILE and --dpop.\n")
    }

    @Test("An unknown prompt value is refused before anything is sent")
    func prompt() async throws {
        let login = ["login", "--issuer", "http://127.0.0.1:1", "--client-id", "a", "--prompt", "bogus"]
        let transcript = try await CommandLineTool().run(login)
        #expect(transcript.status == 2 && transcript.error.contains("--prompt must be one of none, login, consent"))
    }

    @Test("Front-door commands distinguish a missing registration, a missing sign-in and a signed-out profile")
    func frontDoors() async throws {
        let tool = CommandLineTool()
        let curity = try await tool.run(["curity", "login", "--store", "memory"])
        #expect(
            curity.status == 6 && curity.error.contains("No client is registered for curity (profile \"default\").")
        )
        let logto = try await tool.run(["logto", "token", "--store", "memory", "--profile", "work"])
        #expect(logto.status == 6 && logto.error.contains("Not signed in through logto (profile \"work\")."))
        for transcript in [curity, logto] {
            let line = try #require(transcript.error.components(separatedBy: "in its help: ").last)
            #expect(try await tool.runInShell(line.trimmingCharacters(in: .newlines)).status == 0)
        }
    }
}
