import Foundation
import HTTPTypes
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Sign-in", .fewAtOnce, .serialized)
struct SignInTranscripts {
    @Test("A login prints verified claims and no token")
    func login() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run(try provider.login("--json"))
            #expect(transcript.status == 0 && transcript.error.isEmpty)
            let answer = try transcript.json()
            #expect(
                answer.names == [
                    "ok", "issuer", "claims", "scope", "tokenType", "expiresAt", "refreshable", "notRenewable",
                    "endsAt",
                ]
            )
            #expect(answer["ok"] == true && answer["refreshable"] == true)
            #expect(answer["issuer"]?.string == provider.issuer)
            #expect(answer["scope"] == "openid profile offline_access" && answer["tokenType"] == "Bearer")
            let claims = try #require(answer["claims"]?.object)
            #expect(claims["iss"]?.string == provider.issuer && claims["sub"] == "user-alice")
            let expiry = try #require(answer["expiresAt"]?.string)
            #expect(try Date(expiry, strategy: .iso8601) > .now)
        }
    }

    @Test("A login without --json prints a table")
    func table() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run(try provider.login())
            #expect(transcript.status == 0 && transcript.error.isEmpty)
            let lines = transcript.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "Signed in at \(provider.issuer)")
            #expect(lines.contains("  sub        user-alice") && lines.contains("  amr        pwd"))
            #expect(lines.contains("  scope         openid profile offline_access"))
            #expect(lines.contains("  renewable     yes"))
        }
    }

    @Test("A session without a refresh token is reported with its expiry and a next step that works when pasted")
    func notRenewable() async throws {
        try await TestProvider.running({ $0.manners = { $0.offlineAccess = .withConsentPrompt } }) {
            provider async throws in
            let arguments = try provider.login()
            let transcript = try await provider.tool.run(arguments)
            #expect(transcript.status == 0 && transcript.output.contains("  renewable     no\n"))
            #expect(transcript.output.contains("  session ends  "))
            #expect(transcript.output.contains("Run: ostiary login --prompt consent\n"))
            // As it is printed; the arguments after it stand in for the user at the page.
            let person = Array(arguments.drop { $0 != "--user-agent" })
            let mended = try await provider.tool.run(["login", "--prompt", "consent", "--json"] + person).json()
            #expect(mended["refreshable"] == true && mended["notRenewable"] == .null)
            let place = ["--profile", "work", "--store", "file:\(provider.folder.path("a store"))"]
            let elsewhere = try await provider.tool.run(arguments + place)
            let line =
                "Run: ostiary login --profile work --store 'file:\(provider.folder.path("a store"))' --prompt consent\n"
            #expect(elsewhere.output.contains(line))
        }
        try await TestProvider.running({ $0.manners = { $0.offlineAccess = .ignored } }) { provider async throws in
            let answer = try await provider.tool.run(try provider.login("--json")).json()
            #expect(answer["notRenewable"] == "offlineAccessNotGranted" && answer["endsAt"] == answer["expiresAt"])
        }
    }

    @Test(
        "A login without a client uses the profile's last client and scopes, and options override them"
    )
    func sameClient() async throws {
        try await TestProvider.running { provider async throws in
            let arguments = try provider.login(client: "basic")
            let person = Array(arguments.drop { $0 != "--user-agent" })
            let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
            #expect(try await provider.tool.run(["login"] + person).status == 2)
            #expect(try await provider.tool.run(arguments + secret + ["--scope", "openid", "--dpop"]).status == 0)
            let again = try await provider.tool.run(["login", "--json"] + person).json()
            #expect(again["claims"]?.object?["aud"] == "basic" && again["scope"] == "openid")
            #expect(again["tokenType"] == "DPoP")
            let other = try await provider.tool.run(["login", "--scope", "openid profile", "--json"] + person).json()
            #expect(other["scope"] == "openid profile")
            let elsewhere = ["login", "--issuer", "https://id.example.com"]
            #expect(try await provider.tool.run(elsewhere + person).status == 2)
            #expect(try await provider.tool.run(["login", "--profile", "work"] + person).status == 2)
        }
    }

    @Test(
        "A client whose assertion audience is rejected gets the command with the other audience, which works"
    )
    func assertionAudience() async throws {
        let key = try SigningKey.generate(.es256)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.secretFile("a key.json", String(decoding: try key.privateJWK().encoded(), as: UTF8.self))
        try await TestProvider.running(
            configuring: { configuration in
                let keys = JSONWebKeySet([key.publicKey])
                configuration.manners.clientAssertionAudience = .tokenEndpoint
                configuration.clients.append(
                    try TestProvider.confidential("key", .privateKeyJWT(keys: keys, algorithm: nil))
                )
            }
        ) { provider async throws in
            let arguments = try provider.login(client: "key") + ["--client-key", file]
            let refused = try await provider.tool.run(arguments)
            #expect(refused.status == 3)
            let line = try #require(refused.error.split(separator: "\n").last?.split(separator: ", run: ").last)
            #expect(line.hasPrefix("ostiary login ") && line.contains("--client-assertion-audience token-endpoint"))
            let pasted = try await provider.tool.runInShell(String(line))
            #expect(pasted.status == 0 && pasted.output.hasPrefix("Signed in at "))
            // Where there is no key, or the audience is set, no such line is printed.
            let wrong = ["--client-secret-file", try provider.folder.secretFile("wrong", "another secret")]
            let set = arguments + ["--client-assertion-audience", "issuer"]
            for other in [try provider.login(client: "basic") + wrong, set] {
                let transcript = try await provider.tool.run(other)
                #expect(transcript.status == 3)
                #expect(transcript.error.hasSuffix("  Check the client's identifier, secret or key.\n"))
            }
        }
    }

    @Test("A default scope that the issuer does not list is left out, and --explain shows it")
    func defaultScopes() async throws {
        try await TestProvider.running({ $0.manners = { $0.offlineAccess = .unknown } }) { provider async throws in
            let transcript = try await provider.tool.run(try provider.login("--explain"))
            #expect(transcript.status == 0 && transcript.output.contains("  scope         openid profile\n"))
            #expect(transcript.error.contains("request.scope") && transcript.error.contains("offline_access"))
        }
    }

    @Test("Later commands use and end the stored session without naming its issuer")
    func session() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let raw = try await tool.run(["token"], printing: .onPurpose)
            #expect(raw.status == 0 && raw.error.isEmpty && raw.output.count { $0 == "\n" } == 1)
            let token = String(raw.output.dropLast())
            #expect(provider.secrets.found(in: token).count == 1)
            let json = try await tool.run(["token", "--json"], printing: .onPurpose).json()
            #expect(json.names == ["ok", "accessToken", "tokenType", "expiresAt"])
            #expect(json["accessToken"]?.string == token)

            let info = try await tool.run(["userinfo", "--json"])
            #expect(try info.json()["claims"]?.object?["name"] == "Alice Example")
            #expect(try await tool.run(["userinfo"]).output.contains("  name                Alice Example\n"))

            let refresh = try await tool.run(["refresh", "--json"])
            let fresh = String(try await tool.run(["token"], printing: .onPurpose).output.dropLast())
            #expect(try refresh.json()["fingerprint"]?.string == fingerprint(fresh))
            #expect(fresh != token)

            let logout = try await tool.run(["logout", "--json"])
            #expect(
                logout.output
                    == #"{"ok":true,"revocation":"revoked","revocationError":null,"endSession":"none","endSessionError":null}"#
                    + "\n"
            )
            #expect(logout.status == 0)
            #expect(try await tool.run(["logout"]).output == "Already signed out (profile \"default\").\n")
            for command in ["token", "userinfo", "refresh", "status"] {
                #expect(
                    try await tool.run([command, "--json"]).failure() == FailureWords(6, "storage", "signInRequired")
                )
            }
        }
    }

    @Test("A token with less than the required validity is refreshed first")
    func minimumValidity() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let first = try await tool.run(["token"], printing: .onPurpose).output
            #expect(try await tool.run(["token", "--min-valid", "60"], printing: .onPurpose).output == first)
            let second = try await tool.run(["token", "--min-valid", Self.wholeLife], printing: .onPurpose)
            #expect(second.status == 0 && second.output != first)
        }
    }

    /// As long as the provider's tokens live, which counts whole seconds: a token that has begun its life is renewed.
    private static let wholeLife = "\(ProviderConfiguration.Lifetimes().accessToken.components.seconds - 1)"

    @Test("A new token with less than the required validity is not printed")
    func shortTokens() async throws {
        var lifetimes = ProviderConfiguration.Lifetimes()
        lifetimes.accessToken = .seconds(2)
        try await TestProvider.running(lifetimes: lifetimes) { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let short = try await tool.run(["token", "--min-valid", "5", "--json"])
            #expect(try short.failure() == FailureWords(3, "refresh", "configuration"))
            let words = try await tool.run(["token", "--min-valid", "5"])
            #expect(words.status == 3 && words.output.isEmpty)
            #expect(words.error.contains("seconds, and --min-valid asks for 5: ask for "))
            #expect(try await tool.run(["token", "--min-valid", "0"], printing: .onPurpose).status == 0)
        }
    }

    @Test("Concurrent processes that refresh one session keep it")
    func processes() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let tokens = try await withThrowingTaskGroup(of: CommandLineTool.Transcript.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await tool.run(["token", "--min-valid", Self.wholeLife], printing: .onPurpose)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(tokens.allSatisfy { $0.status == 0 })
            #expect(Set(tokens.map(\.output)).count == 6)
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("The token command requires a sign-in when the session is expired and has no refresh token")
    func notRefreshable() async throws {
        try await TestProvider.running { provider async throws in
            #expect(try await provider.tool.run(try provider.login("--scope", "openid")).status == 0)
            let transcript = try await provider.tool.run(["token", "--min-valid", "100000", "--json"])
            #expect(try transcript.failure().status == 6)
        }
    }

    @Test("A logout of a session without a refresh token revokes the access token")
    func accessTokenRevoked() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login("--scope", "openid")).status == 0)
            let token = try await tool.run(["token"], printing: .onPurpose).output.dropLast()
            let logout = try await tool.run(["logout"])
            #expect(logout.status == 0 && logout.output.contains("  access token      revoked\n"))
            let file = try provider.folder.secretFile("token", String(token))
            let introspect = try await tool.run([
                "introspect", "--issuer", provider.issuer, "--client-id", "basic", "--client-secret-file",
                try provider.folder.secretFile("client", TestProvider.clientSecret), "--token-file", file, "--json",
            ])
            #expect(try introspect.json()["active"] == false)
        }
    }

    @Test("A confidential client is stored with its secret", arguments: ["basic", "post"])
    func confidential(_ client: String) async throws {
        try await TestProvider.running { provider async throws in
            let secret: [String] =
                client == "basic"
                ? ["--client-secret-file", try provider.folder.secretFile("client", TestProvider.clientSecret)]
                : [
                    "--client-secret-env", "OSTIARY_TEST_SECRET", "--client-auth", "client_secret_post",
                    "--userinfo-alg",
                    "ES256", "--id-token-alg", "ES256",
                ]
            let tool = provider.tool
            let login = try await tool.run(try provider.login(client: client) + secret)
            #expect(login.status == 0 && login.error.isEmpty)
            #expect(try await tool.run(["refresh"]).status == 0)
            #expect(try await tool.run(["userinfo", "--json"]).json()["claims"]?.object?["sub"] == "user-alice")
            #expect(try await tool.run(["logout"]).status == 0)
        }
    }

    @Test("Profiles are independent of each other")
    func profiles() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login("--profile", "work")).status == 0)
            #expect(try await tool.run(["token"]).status == 6)
            #expect(try await tool.run(try provider.login()).status == 0)
            #expect(try await tool.run(["logout", "--profile", "work"]).status == 0)
            #expect(try await tool.run(["token"], printing: .onPurpose).status == 0)
        }
    }

    @Test("A logout can also end the provider's session")
    func endSession() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let logout = try await tool.run([
                "logout", "--user-agent", "http", "--post-logout-redirect-uri", "http://127.0.0.1/callback", "--json",
            ])
            #expect(logout.status == 0)
            #expect(try logout.json()["endSession"] == "ended")
        }
    }

    private static let endSession = ["logout", "--post-logout-redirect-uri", "http://127.0.0.1/callback", "--json"]

    @Test("The printed end-session URL of a browser omits the ID token")
    func endSessionInBrowser() async throws {
        try await TestProvider.running { provider async throws in
            var tool = provider.tool
            tool.environment["BROWSER"] = "true"
            #expect(try await tool.run(try provider.login()).status == 0)
            let person = Person(provider)
            let logout = try await tool.run(Self.endSession) { line in try await person.visit(line) }
            #expect(try logout.json()["endSession"] == "ended")
            #expect(logout.error.contains("This URL has no id_token_hint"))
        }
    }

    @Test("The end-session URL that the user opens by hand is printed whole")
    func endSessionByHand() async throws {
        try await TestProvider.running { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let person = Person(provider)
            // What the user has to open carries the ID token as a hint, so this run may show it.
            var tool = provider.tool
            tool.secrets = KnownSecrets()
            let logout = try await tool.run(Self.endSession + ["--user-agent", "manual"]) { line in
                try await person.carry(line)
            }
            #expect(try logout.json()["endSession"] == "ended")
            #expect(provider.secrets.found(in: logout.output).isEmpty)
            #expect(logout.error.contains("id_token_hint="))
        }
    }

    @Test("A login's requirements reach the provider, and the response is checked against them")
    func request() async throws {
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(
                try provider.login(
                    "--max-age",
                    "60",
                    "--acr-values",
                    "urn:ostiary:password",
                    "--scope",
                    "openid email",
                    "--json"
                )
            )
            #expect(try login.json()["scope"] == "openid email")
            let other = try await provider.tool.run(try provider.login("--acr-values", "urn:example:gold", "--json"))
            #expect(other.status == 7)
            #expect(try other.json()["error"]?.object?["check"] == "acr")
            let text = try await provider.tool.run(try provider.login("--acr-values", "urn:example:gold"))
            #expect(text.error.hasSuffix("acr_values_supported: ostiary discover --issuer \(provider.issuer)\n"))
        }
    }

    @Test("The redirect can be pasted by hand")
    func manual() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider)
            let transcript = try await provider.tool.run(person.login) { line in try await person.carry(line) }
            #expect(transcript.status == 0)
            #expect(transcript.error.hasPrefix("\(provider.issuer)/authorize?"))
            #expect(transcript.error.count { $0 == "\n" } == 1)
        }
    }

    @Test("A browser signs in with a loopback redirect")
    func browser() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider)
            var tool = provider.tool
            tool.environment["BROWSER"] = "true"
            let transcript = try await tool.run([
                "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--par", "never",
                "--json",
            ]) { line in try await person.visit(line) }
            #expect(transcript.status == 0)
            #expect(try transcript.json()["ok"] == true)
        }
    }

    @Test("A user who declines in the browser sees the final page")
    func browserDeclined() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider, answer: .deny)
            var tool = provider.tool
            tool.environment["BROWSER"] = "true"
            let transcript = try await tool.run([
                "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--par", "never",
                "--json",
            ]) { line in try await person.visit(line) }
            #expect(transcript.status == 5)
        }
    }
}

/// A user with a browser, in this process.
struct Person: Sendable {
    private let provider: TestProvider
    private let agent: HTTPUserAgent
    private static let transport = AsyncHTTPClientTransport()

    init(
        _ provider: TestProvider,
        password: String = TestProvider.password,
        answer: HTTPUserAgent.Answer = .approve
    ) {
        self.provider = provider
        agent = HTTPUserAgent(
            transport: Self.transport,
            credentials: HTTPUserAgent.Credentials(name: DevelopmentProvider.userName, password: Secret(password)),
            answer: answer
        )
    }

    /// A sign-in by hand.
    var login: [String] {
        [
            "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--user-agent",
            "manual",
            "--redirect-uri", "http://127.0.0.1/callback", "--json",
        ]
    }

    /// Carries the redirect from an open page to the input.
    func carry(
        _ line: String,
        changing change: @Sendable (String) -> String = { $0 }
    ) async throws -> CommandLineTool.Reaction {
        guard line.hasPrefix("http") else { return .none }
        return .type(change(try await redirect(from: line)))
    }

    /// Opens a page, does what it asks for, and reads where it ends.
    func redirect(from page: String) async throws -> String {
        let url = try #require(URL(string: page))
        let parameters = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let name = parameters.first { $0.name == "redirect_uri" || $0.name == "post_logout_redirect_uri" }
        // A pushed request shows none: it is the one that a manual sign-in is started with.
        let redirectURI = try RedirectURI(name?.value ?? "http://127.0.0.1/callback")
        let attempt = try await agent.attempt(awaiting: redirectURI)
        return try await attempt.open(url, accepting: .any).absoluteString
    }

    /// Opens the page that a note names, and follows the redirect to the page at its end.
    func visit(_ line: String) async throws -> CommandLineTool.Reaction {
        let note = "Opening the browser. If it does not open, visit: "
        guard line.hasPrefix(note) else { return .none }
        let page = String(line.dropFirst(note.count))
        let redirect = try #require(URL(string: try await redirect(from: page)))
        let response = try await Self.transport.send(EndpointRequest(url: redirect))
        #expect(response.status == .seeOther)
        // A browser takes a moment, in which a command that does not wait for it would be gone.
        let elsewhere = try #require(URL(string: provider.issuer + "/jwks"))
        for _ in 0..<10 { _ = try await Self.transport.send(EndpointRequest(url: elsewhere)) }
        let done = try #require(URL(string: "/done", relativeTo: redirect))
        let last = try await Self.transport.send(EndpointRequest(url: done.absoluteURL))
        #expect(String(decoding: last.body, as: UTF8.self).contains("Return to the terminal"))
        return .none
    }
}

func fingerprint(_ token: String) -> String {
    HashAlgorithm.sha256.hash(Array(token.utf8)).prefix(4).map { String(format: "%02x", $0) }.joined()
}
