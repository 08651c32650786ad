import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization
import Testing

@Suite("Registration", .fewAtOnce, .serialized)
struct RegistrationTranscripts {
    private static let confidential: JSONObject = [
        "client_name": "A Command", "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "scope": "openid profile offline_access",
    ]

    private func running(
        _ policy: RegistrationPolicy = .open,
        _ change: (inout Scenario) -> Void = { _ in },
        _ body: (TestProvider) async throws -> Void
    ) async throws {
        try await TestProvider.running(change, configuring: { $0.registration = policy }, body)
    }

    private func metadataFile(_ provider: TestProvider, _ members: JSONObject = confidential) throws -> String {
        try provider.folder.secretFile("metadata", String(decoding: members.encoded(), as: UTF8.self))
    }

    /// A sign-in as the client that is registered, without a user.
    private func signIn(_ provider: TestProvider, _ more: String...) throws -> [String] {
        let arguments = try provider.login()
        return ["login"] + arguments.drop { $0 != "--user-agent" } + more
    }

    @Test("A client registers, and signs in without being named again")
    func register() async throws {
        try await running { provider async throws in
            let tool = provider.tool
            let transcript = try await tool.run([
                "register", "--issuer", provider.issuer, "--metadata", try metadataFile(provider), "--json",
            ])
            #expect(transcript.status == 0 && transcript.error.isEmpty)
            let answer = try transcript.json()
            #expect(
                answer.names == [
                    "ok", "issuer", "clientID", "hasSecret", "secretExpiresAt", "manageable", "metadata",
                ]
            )
            #expect(answer["hasSecret"] == true && answer["manageable"] == true && answer["secretExpiresAt"] == .null)
            #expect(answer["metadata"]?.object?["client_name"] == "A Command")

            let login = try await tool.run(try signIn(provider, "--json"))
            #expect(login.status == 0)
            #expect(try login.json()["claims"]?.object?["aud"] == answer["clientID"])
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("A registered secret is written to the named file, which only its owner can read, and signs in")
    func secretFile() async throws {
        // As options begin, too.
        let dashes: (inout Scenario) -> Void = { $0.clientCredential = { $0 = "-" + $0 } }
        try await running(.open, dashes) { provider async throws in
            let tool = provider.tool
            let file = provider.folder.path("secret")
            let transcript = try await tool.run([
                "register", "--issuer", provider.issuer, "--metadata", try metadataFile(provider),
                "--secret-output-file", file, "--json",
            ])
            #expect(transcript.status == 0)
            let client = try #require(try transcript.json()["clientID"]?.string)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let login = try provider.login("--client-secret-file", file, "--profile", "other", client: client)
            let signedIn = try await tool.run(login)
            #expect(signedIn.error == "")
            #expect(signedIn.status == 0)
            // A folder that is not there is reported before a client is registered.
            let lost = try await tool.run([
                "register", "--issuer", provider.issuer, "--profile", "lost", "--secret-output-file",
                provider.folder.path("missing/secret"),
            ])
            #expect(lost.status == 2 && lost.error.contains("cannot be written: No such file or directory"))
            #expect(try await tool.run(["register", "read", "--profile", "lost"]).status == 2)
        }
    }

    @Test("Without metadata a public loopback client is registered with a default name")
    func standard() async throws {
        try await running { provider async throws in
            let tool = provider.tool
            let register = ["register", "--issuer", provider.issuer, "--name", "My Tool", "--profile", "work"]
            let transcript = try await tool.run(register)
            #expect(transcript.status == 0)
            #expect(transcript.output.hasPrefix("Registered at \(provider.issuer)\n"))
            #expect(transcript.output.contains("  secret                       none\n"))
            #expect(transcript.output.contains("My Tool"))
            #expect(try await tool.run(try signIn(provider, "--profile", "work")).status == 0)
            #expect(try await tool.run(try signIn(provider)).status == 2)
            let again = try await tool.run(register)
            #expect(again.status == 2 && again.error.contains("registered for the profile work already"))
        }
    }

    @Test("A registration is read, changed and deleted, though its credentials change each time")
    func manage() async throws {
        let policy = RegistrationPolicy(.open, rotation: [.accessTokenOnRead, .accessTokenOnUpdate, .secretOnUpdate])
        try await running(policy) { provider async throws in
            let tool = provider.tool
            let register = ["register", "--issuer", provider.issuer, "--metadata", try metadataFile(provider)]
            #expect(try await tool.run(register).status == 0)
            #expect(try await tool.run(try signIn(provider)).status == 0)
            for name in ["First", "Second"] {
                let update = try await tool.run(["register", "update", "--name", name, "--json"])
                #expect(try update.json()["metadata"]?.object?["client_name"]?.string == name)
                let read = try await tool.run(["register", "read", "--json"])
                #expect(try read.json()["metadata"]?.object?["client_name"]?.string == name)
            }
            // The session goes on with the secret that the client has by now.
            #expect(try await tool.run(["refresh"]).status == 0)
            let delete = try await tool.run(["register", "delete", "--json"])
            #expect(try delete.json()["registration"] == "deleted")
            for action in ["read", "update", "delete"] {
                let after = try await tool.run(["register", action])
                #expect(after.status == 2)
                #expect(after.error.contains("No client is registered for the profile default"))
            }
            // The session of a client that is gone is gone.
            #expect(try await tool.run(["token"]).status == 6)
            #expect(try await tool.run(["logout"]).output == "Already signed out (profile \"default\").\n")
        }
    }

    @Test("A registration that is not open needs an initial access token")
    func initialAccessToken() async throws {
        let token = "initial-access-token"
        try await running(.withInitialAccessToken([SecretDigest(of: Secret(token))])) { provider async throws in
            provider.secrets.add(token)
            let register = ["register", "--issuer", provider.issuer, "--json"]
            #expect(
                try await provider.tool.run(register).failure() == FailureWords(3, "registration", "server")
            )
            let wrong = try provider.folder.secretFile("wrong", "another-token")
            let refused = try await provider.tool.run(register + ["--initial-access-token-file", wrong])
            #expect(try refused.failure() == FailureWords(3, "registration", "refused", code: "invalid_token"))
            let file = try provider.folder.secretFile("token", token)
            #expect(try await provider.tool.run(register + ["--initial-access-token-file", file]).status == 0)
        }
    }

    @Test("A software statement is sent, and not printed")
    func softwareStatement() async throws {
        let key = try SigningKey.generate(.es256)
        let statement = try key.sign(claims: ["iss": "https://vendor.example", "software_id": "tool"])
        let policy = RegistrationPolicy(
            .withSoftwareStatement,
            trustedSoftwareStatementIssuers: ["https://vendor.example": JSONWebKeySet([key.publicKey])]
        )
        try await running(policy) { provider async throws in
            provider.secrets.add(statement)
            let register = ["register", "--issuer", provider.issuer]
            #expect(try await provider.tool.run(register).status == 3)
            let file = try provider.folder.secretFile("statement", statement)
            #expect(try await provider.tool.run(register + ["--software-statement-file", file]).status == 0)
        }
    }

    @Test("A server without registration is reported as unsupported, and nothing is stored")
    func closed() async throws {
        try await running(.closed) { provider async throws in
            let register = try await provider.tool.run(["register", "--issuer", provider.issuer, "--json"])
            #expect(try register.failure() == FailureWords(3, "registration", "unsupported"))
            #expect(try await provider.tool.run(["register", "read"]).status == 2)
        }
    }

    @Test("A malformed registration response registers nothing")
    func malformed() async throws {
        try await running(.open, { $0.registration = { $0["client_id"] = nil } }) { provider async throws in
            let register = try await provider.tool.run(["register", "--issuer", provider.issuer, "--json"])
            #expect(try register.failure() == FailureWords(8, "registration", "malformed"))
            #expect(try await provider.tool.run(["register", "read"]).status == 2)
        }
    }

    @Test("A damaged registration hides no profile, and its session is ended as far as possible")
    func damaged() async throws {
        try await running { provider async throws in
            let tool = provider.tool
            let store = FileStore(
                directory: URL(filePath: provider.folder.path("state/ostiary")),
                key: .file(at: URL(filePath: provider.folder.path("config/ostiary/store.key")))
            )
            let register = ["register", "--issuer", provider.issuer, "--metadata", try metadataFile(provider)]
            #expect(try await tool.run(register).status == 0)
            #expect(try await tool.run(try signIn(provider)).status == 0)
            #expect(try await tool.run(try provider.login("--profile", "other")).status == 0)
            let key = StoreKey.registration(issuer: try Issuer(provider.issuer), name: "default")
            try await store.write(Array("{}".utf8), for: key)

            let list = try await tool.run(["sessions", "list", "--json"])
            #expect(list.status == 0)
            let sessions = try #require(try list.json()["sessions"]?.objects)
            #expect(sessions.count == 2 && sessions.allSatisfy { $0["signedIn"] == true })
            let refresh = try await tool.run(["refresh"])
            #expect(refresh.status == 3)
            #expect(refresh.error.contains("register again: ostiary register delete --forget"))
            let logout = try await tool.run(["logout", "--json"]).json()
            #expect(logout["revocation"] == "failed")
            #expect(logout["revocationError"]?.object?["reason"] == "configuration")
            #expect(try await tool.run(["token"]).status == 6)
            // The next step that is printed.
            #expect(try await tool.run(["register", "delete", "--profile", "default"]).status == 10)
            #expect(try await tool.run(["register", "delete", "--forget", "--profile", "default"]).status == 0)
            #expect(try await tool.run(register).status == 0)
        }
    }

    @Test(
        "A session with an unregistered redirect URI is listed, refreshed and revoked, but cannot sign in again"
    )
    func otherRedirectURI() async throws {
        let revocations = Mutex(0)
        try await running(
            .open,
            { scenario in
                scenario.response = { request, response in
                    if request.path == "/revoke", response.status == .ok { revocations.withLock { $0 += 1 } }
                }
            }
        ) { provider async throws in
            let tool = provider.tool
            let register = ["register", "--issuer", provider.issuer, "--metadata", try metadataFile(provider)]
            #expect(try await tool.run(register).status == 0)
            #expect(try await tool.run(try signIn(provider)).status == 0)
            let update = ["register", "update", "--redirect-uri", "https://app.example.com/callback"]
            #expect(try await tool.run(update).status == 0)
            let list = try await tool.run(["sessions", "list", "--json"])
            #expect(list.status == 0)
            #expect(try list.json()["sessions"]?.objects?.map { $0["signedIn"] } == [true])
            #expect(try await tool.run(["refresh"]).status == 0)
            let login = try await tool.run(
                try signIn(provider, "--redirect-uri", "http://127.0.0.1/callback", "--json")
            )
            #expect(try login.failure().check == "redirect_uri")
            let logout = try await tool.run(["logout", "--json"])
            #expect(logout.status == 0)
            #expect(try logout.json()["revocation"] == "revoked")
            #expect(revocations.withLock { $0 } == 1)
        }
    }

    @Test("A registration can be removed locally without the server")
    func forget() async throws {
        try await running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(["register", "--issuer", provider.issuer]).status == 0)
            await provider.server.stop()
            #expect(try await tool.run(["register", "delete"]).status == 4)
            #expect(try await tool.run(["register", "delete", "--forget"]).status == 0)
            #expect(try await tool.run(["register", "read"]).status == 2)
        }
    }
}
