import Foundation
import OstiaryJOSE
import OstiaryProvider
import Testing

@Suite("Development provider: rules and faults", .fewAtOnce)
struct ProviderRulesTranscripts {
    /// Runs `idp serve` with arguments, and a shell command once it listens.
    private func serve(
        _ arguments: [String],
        shell command: @escaping @Sendable (_ issuer: String, _ settings: JSONObject) -> String
    ) async throws -> (served: CommandLineTool.Transcript, output: String) {
        let tool = CommandLineTool()
        let answer = OutputBox()
        let served = try await tool.run(["idp", "serve", "--port", "0", "--json"] + arguments) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)), let issuer = object["issuer"]?.string else {
                return .none
            }
            answer.text = try await tool.runInShell(command(issuer, object), shell: "bash").output
            return .interrupt
        }
        return (served, answer.text)
    }

    private final class OutputBox: @unchecked Sendable {
        var text = ""
    }

    private static let plain =
        "client_id=ostiary-web&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&response_type=code&scope=openid&state=s"

    @Test("By default a confidential client without PKCE is served, and the log names the strict rule")
    func oidc() async throws {
        let (served, page) = try await serve([]) { issuer, _ in "curl -s '\(issuer)/authorize?\(Self.plain)'" }
        #expect(page.contains("Sign in"))
        #expect(served.error.contains(" admitted path=/authorize client=ostiary-web reason=\"The request has no "))
        #expect(
            served.error.contains(
                "rule=\"proofKeys (RFC 9700 section 2.1.1)\" "
                    + "mend=\"Switch PKCE on in the client, with S256. --rules strict refuses this.\""
            )
        )
    }

    @Test("With --rules strict a client without PKCE is rejected, and response and log name the rules that accept it")
    func strict() async throws {
        let (served, head) = try await serve(["--rules", "strict", "--log", "json"]) { issuer, _ in
            "curl -s -i '\(issuer)/authorize?\(Self.plain)'"
        }
        #expect(head.contains("--rules%20oidc%20accepts%20it."))
        let lines = served.error.split(separator: "\n").compactMap { try? JSONObject(parsing: Array($0.utf8)) }
        let refusal = try #require(lines.first { $0["event"] == "refused" })
        #expect(refusal["client"] == "ostiary-web" && refusal["error"] == "invalid_request")
        #expect(refusal["reason"] == "The code_challenge is missing.")
        #expect(refusal["mend"]?.string?.contains("--rules oidc accepts it.") == true)
        #expect(lines.contains { $0["event"] == "request" && $0["path"] == "/authorize" && $0["status"] == 303 })
    }

    @Test("A user signs in without a page, a further redirect URI is known, and a fault is chosen by the client id")
    func tests() async throws {
        let uri = "http%3A%2F%2Flocalhost%3A3000%2Fcb"
        let query = "redirect_uri=\(uri)&response_type=code&scope=openid&state=s"
        let (_, heads) = try await serve([
            "--sign-in-as", "alice", "--scenarios-by-request", "--redirect-uri", "http://localhost:3000/cb",
        ]) { issuer, _ in
            "curl -s -i '\(issuer)/authorize?client_id=ostiary-web&\(query)'; "
                + "curl -s -i '\(issuer)/authorize?client_id=ostiary-web~\(Scenario.missingState.name)&\(query)'"
        }
        let places = heads.split(whereSeparator: \.isNewline).filter { $0.lowercased().hasPrefix("location:") }
        #expect(places.count == 2)
        #expect(places.allSatisfy { $0.contains("http://localhost:3000/cb?code=") })
        #expect(places.map { $0.contains("state=s") } == [true, false])
    }

    @Test("A resource and a scope of options are known, and a registration may ask for them")
    func mcp() async throws {
        let resource = "http://127.0.0.1:8000/mcp"
        let (_, output) = try await serve(["--rules", "mcp", "--resource", resource, "--scope", "mcp:tools"]) {
            issuer,
            _ in
            "curl -s \(issuer)/register -H 'Content-Type: application/json' -d '{\"redirect_uris\": "
                + "[\"http://localhost:1234/cb\"], \"token_endpoint_auth_method\": \"none\", \"client_uri\": \"\", "
                + "\"scope\": \"mcp:tools\"}'; curl -s \(issuer)/"
        }
        #expect(output.contains(#""scope":"mcp:tools""#))
        #expect(output.contains(resource))
    }

    @Test("A fault is played in every flow with --scenario, and idp scenarios lists its name")
    func scenario() async throws {
        let name = Scenario.issuerMismatch.name
        let (_, metadata) = try await serve(["--scenario", name]) { issuer, _ in
            "curl -s \(issuer)/.well-known/openid-configuration; echo; echo \(issuer)"
        }
        let lines = metadata.split(separator: "\n")
        let object = try JSONObject(parsing: Array(try #require(lines.first).utf8))
        #expect(object["issuer"]?.string != String(try #require(lines.last)))
        let list = try await CommandLineTool().run(["idp", "scenarios"])
        #expect(list.status == 0 && list.output.split(separator: "\n").contains(Substring(name)))
        let json = try await CommandLineTool().run(["idp", "scenarios", "--json"]).json()
        #expect(json["scenarios"]?.array?.count == Scenario.all.count)
    }

    @Test("With --scenario-at the second request at an endpoint fails, and the third one is served")
    func scenarioAt() async throws {
        let (_, statuses) = try await serve(["--scenario-at", "jwks:2=status-503"]) { issuer, _ in
            "for n in 1 2 3; do curl -s -o /dev/null -w '%{http_code} ' \(issuer)/jwks; done"
        }
        #expect(statuses == "200 503 200 ")
    }

    @Test("The administration takes the token of --admin-token-file, and a token that can be guessed is refused")
    func administration() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let token = "0123456789abcdef"
        let file = try folder.secretFile("admin-token", token)
        let (_, answers) = try await serve(["--admin-token-file", file]) { issuer, _ in
            "curl -s -o /dev/null -w '%{http_code} ' \(issuer)/admin/users; "
                + "curl -s -H 'Authorization: Bearer \(token)' \(issuer)/admin/users"
        }
        #expect(answers.hasPrefix("401 ") && answers.contains(#""name":"alice""#))
        let short = try folder.secretFile("short", "guessable")
        let served = try await CommandLineTool().run(["idp", "serve", "--port", "0", "--admin-token-file", short])
        #expect(served.status == 2)
        #expect(
            served.error.contains("needs at least 16 characters") && served.error.contains("openssl rand -hex 32 >")
        )
    }

    @Test("The inspector is served with --inspector alone, whatever the rules")
    func inspector() async throws {
        let strict = ["--inspector", "--rules", "strict"]
        for (arguments, status) in [([], "404"), (["--inspector"], "200"), (strict, "200")] {
            let (_, answer) = try await serve(arguments) { issuer, _ in
                "curl -s -o /dev/null -w '%{http_code}' '\(issuer)/inspector/export?form=har'"
            }
            #expect(answer == status)
        }
    }

    @Test("With SIGUSR1 the signing keys are replaced, and a session of before goes on: its ID token has a new key")
    func keyRotation() async throws {
        let tool = CommandLineTool(secrets: KnownSecrets())
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = ["--store", "file:\(folder.path("store"))"]
        let issuer = OutputBox()
        let keys = OutputBox()
        let served = try await tool.run(["idp", "serve", "--port", "0", "--json"]) { line in
            if let object = try? JSONObject(parsing: Array(line.utf8)), let text = object["issuer"]?.string {
                issuer.text = text
                let login = try await tool.run(
                    [
                        "login", "--issuer", text, "--client-id", "ostiary-demo", "--user-agent", "http", "--http-user",
                        "alice", "--http-password-file",
                        try folder.secretFile("password", try #require(object["password"]?.string)),
                    ] + store
                )
                #expect(login.status == 0)
                keys.text = try await tool.runInShell("curl -s \(text)/jwks").output
                return .userSignal
            }
            guard line.contains(" rotated keys=") else { return .none }
            let published = try await tool.runInShell("curl -s \(issuer.text)/jwks").output
            let (old, new) = try (Self.keyIDs(keys.text), Self.keyIDs(published))
            #expect(old.count == 2 && new.count == 4 && Set(old).isSubset(of: new))
            #expect(new.filter { !old.contains($0) }.allSatisfy { line.contains($0) })
            let refreshed = try await tool.run(["refresh"] + store)
            #expect(refreshed.status == 0, "\(refreshed.error)")
            return .interrupt
        }
        #expect(served.status == 0)
        #expect(served.error.contains("request method=GET path=/jwks status=200"))
    }

    private static func keyIDs(_ document: String) throws -> [String] {
        try JSONObject(parsing: Array(document.utf8))["keys"]?.array?.compactMap { $0.object?["kid"]?.string } ?? []
    }

    @Test(
        "Contradictory options of the provider are refused",
        arguments: [
            (["--without-passwords", "--sign-in-as", "alice"], "Choose --without-passwords or --sign-in-as."),
            (["--scenario", "none", "--scenarios-by-request"], "Choose --scenario or --scenarios-by-request."),
            (["--tls-key", "a.pem"], "--tls-certificate and --tls-key go together."),
            (["--host", "0.0.0.0"], "--host needs --issuer"),
            (
                ["--inspector", "--host", "0.0.0.0", "--issuer", "https://idp.example"],
                "--inspector with --host needs --admin-token-file"
            ),
            (["--dialect", "logto", "--inspector"], "A dialect has rules, clients and users of its own"),
            (["--dialect", "logto", "--rules", "strict"], "A dialect has rules, clients and users of its own"),
            (["--rules", "lax"], "--rules"),
            (["--scenario", "unheard-of"], "--scenario"),
            (["--scenario-at", "token:0=status-503"], "The number of the request is 1 or more"),
            (["--scenario-at", "token:1=unheard-of"], "List them: ostiary idp scenarios"),
            (["--dialect", "logto", "--admin-token-file", "a"], "A dialect has rules, clients and users of its own"),
            (["--dialect", "logto", "--passkeys"], "A dialect has rules, clients and users of its own"),
        ]
    )
    func contradictions(arguments: [String], error: String) async throws {
        let served = try await CommandLineTool().run(["idp", "serve", "--port", "0"] + arguments)
        #expect(served.status == 2)
        #expect(served.error.contains(error))
    }

    @Test("An invalid user, resource or scope is named, and the provider does not start")
    func unusable() async throws {
        for (arguments, error) in [
            (["--sign-in-as", "mallory"], "There is no user mallory. Users: alice"),
            (["--resource", "api"], "--resource api has to be an absolute URI without a fragment."),
            (["--scope", "a b"], "--scope a b is not one scope"),
            (["--passkeys"], "Passkeys need an issuer with a host name, and it is http://127.0.0.1:"),
        ] {
            let served = try await CommandLineTool().run(["idp", "serve", "--port", "0"] + arguments)
            #expect(served.status == 2)
            #expect(served.error.contains(error))
        }
    }

    @Test("The provider presents a certificate, and its issuer is an https URL")
    func tls() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (certificate, key) = (folder.path("cert.pem"), folder.path("key.pem"))
        let made = try await CommandLineTool().runInShell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost "
                + "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout \(key) -out \(certificate) 2>&1",
            shell: "bash"
        )
        try #require(made.status == 0)
        let (_, metadata) = try await serve(["--tls-certificate", certificate, "--tls-key", key]) { issuer, _ in
            "curl -s --cacert \(certificate) \(issuer)/.well-known/openid-configuration"
        }
        #expect(metadata.contains(#""issuer":"https://127.0.0.1:"#))
    }
}
