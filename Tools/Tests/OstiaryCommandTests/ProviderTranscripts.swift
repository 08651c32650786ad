import Foundation
import OstiaryJOSE
import OstiaryProvider
import Synchronization
import Testing

@Suite("Development provider", .fewAtOnce)
struct ProviderTranscripts {
    @Test("The demo completes a sign-in and exits with 0")
    func demo() async throws {
        let demo = try await CommandLineTool().run(["demo"])
        #expect(demo.status == 0 && demo.error.isEmpty)
        #expect(demo.output.hasPrefix(" 1. The development provider listens at http://127.0.0.1:"))
        #expect(demo.output.hasSuffix("\nEverything worked.\n"))
        for line in ["sub        user-alice", "The access token's fingerprint", "name                Alice Example"] {
            #expect(demo.output.contains(line))
        }
        let json = try await CommandLineTool().run(["demo", "--json"])
        #expect(json.status == 0)
        let answer = try json.json()
        #expect(answer["ok"] == true && answer["revocation"] == "revoked" && answer["endSession"] == "ended")
        let prints = try #require(answer["fingerprints"]?.array)
        #expect(prints.count == 2 && prints[0] != prints[1])
    }

    @Test("The provider prints how to sign in, serves, and stops on a signal")
    func serve() async throws {
        let secrets = KnownSecrets()
        let tool = CommandLineTool(secrets: secrets)
        let served = try await tool.run(["idp", "serve", "--port", "0", "--json"]) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
            let issuer = try #require(object["issuer"]?.string)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let login = try await tool.run([
                "login", "--issuer", issuer, "--client-id", try #require(object["clientID"]?.string), "--user-agent",
                "http",
                "--http-user", try #require(object["user"]?.string), "--http-password-file",
                try folder.secretFile("password", try #require(object["password"]?.string)), "--store", "memory",
            ])
            #expect(login.status == 0)
            return .interrupt
        }
        #expect(served.status == 0)
        let object = try served.json()
        #expect(object.names == ["ok", "issuer", "clientID", "user", "password", "webClientID", "webClientSecret"])
        #expect(object["clientID"] == "ostiary-demo" && object["user"] == "alice")
        #expect(served.error.contains("request method=POST path=/token status=200\n"))
    }

    @Test("Several issuers are served at their paths, and a session of one is none at another")
    func issuers() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let arguments = [
            "idp", "serve", "--port", "0", "--json", "--issuer", "/a", "--issuer", "/tenants/b", "--store",
            "file:\(folder.path("provider.sqlite"))",
        ]
        let tool = CommandLineTool()
        let served = try await tool.run(arguments) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
            let issuers = try #require(object["issuers"]?.array).compactMap(\.string)
            #expect(object["issuer"] == .string(issuers[0]) && issuers.count == 2)
            #expect(issuers[0].hasSuffix("/a") && issuers[1].hasSuffix("/tenants/b"))
            for issuer in issuers {
                let found = try await tool.run(["discover", "--issuer", issuer, "--json"]).json()
                #expect(found["issuer"]?.string == issuer)
            }
            return .interrupt
        }
        #expect(served.status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("provider.sqlite.%2Ftenants%2Fb")))
        let wrong = try await tool.run(["idp", "serve", "--port", "0", "--issuer", "/a", "--issuer", "/a"])
        #expect(wrong.status != 0)
        #expect(wrong.error.contains("another serves it: give each its own, such as /tenants/b."))
    }

    @Test("A provider with --tls is reached by a client that trusts its authority, and by no other; a restart keeps it")
    func authority() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tool = CommandLineTool(environment: ["XDG_DATA_HOME": folder.path("data")])
        let file = folder.path("data/ostiary/tls/ca.pem")
        var authorities: [String] = []
        for _ in 1...2 {
            let served = try await tool.run(["idp", "serve", "--tls", "--port", "0", "--json"]) { line in
                guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
                let issuer = try #require(object["issuer"]?.string)
                #expect(issuer.hasPrefix("https://127.0.0.1:") && object["caFile"]?.string == file)
                let trusting = try await tool.run(["discover", "--issuer", issuer, "--ca-file", file])
                #expect(trusting.status == 0)
                #expect(try await tool.run(["discover", "--issuer", issuer]).status != 0)
                return .interrupt
            }
            #expect(served.status == 0)
            authorities.append(try String(contentsOfFile: file, encoding: .utf8))
        }
        #expect(authorities[0] == authorities[1])
        let shown = try await tool.run(["idp", "serve", "--tls", "--port", "0"]) { line in
            line.contains("SSL_CERT_FILE=") ? .interrupt : .none
        }
        #expect(shown.error.contains("  curl --cacert \(file) https://127.0.0.1:"))
        #expect(shown.error.contains("  NODE_EXTRA_CA_CERTS=\(file) node app.js\n"))
    }

    @Test(
        "--tls takes no certificate of the user's, and no http issuer",
        arguments: [
            (["--tls-certificate", "a", "--tls-key", "b"], "Choose --tls or --tls-certificate."),
            (["--issuer", "http://127.0.0.1:4455"], "--tls needs an https URL as --issuer, or none."),
        ]
    )
    func wrongTLS(arguments: [String], text: String) async throws {
        let transcript = try await CommandLineTool().run(["idp", "serve", "--tls"] + arguments)
        #expect(transcript.status == 2 && transcript.error.contains(text))
    }

    /// The members that a configuration file needs.
    private static let members = """
        "clients": [{"client_id": "a", "redirect_uris": ["http://127.0.0.1/cb"]}],
        "users": [{"name": "a", "password": "a"}]
        """

    @Test(
        "--tls with an http issuer in the configuration file is refused with the member",
        arguments: [["--tls"], ["--tls-certificate", "a.pem", "--tls-key", "b.pem"]]
    )
    func httpIssuerOfFile(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path("provider.json")
        let text = #"{"issuer": "http://127.0.0.1:4711/a", \#(Self.members)}"#
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let served = try await CommandLineTool().run(["idp", "serve", "--config", file] + arguments)
        #expect(served.status == 2)
        let fault = "issuer is http://127.0.0.1:4711/a, and \(arguments[0]) serves https. "
        #expect(served.error.contains(fault + #"Write: "issuer": "https://127.0.0.1:4711/a""#))
    }

    @Test(
        "The advice for passkeys starts the provider when pasted, with --tls and with an issuer at an address",
        arguments: [
            ["--port", "0"], ["--tls", "--port", "0"], ["--issuer", "http://127.0.0.1:PORT", "--port", "PORT"],
            ["--tls", "--issuer", "https://127.0.0.1:PORT", "--port", "PORT"], ["--like", "keycloak", "--port", "0"],
        ]
    )
    func passkeyAdvice(options: [String]) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let port = try freePort()
        var arguments = options.map { $0.replacing("PORT", with: "\(port)") }
        let tool = CommandLineTool(environment: ["XDG_DATA_HOME": folder.path("data")])
        let refused = try await tool.run(["idp", "serve", "--passkeys"] + arguments)
        #expect(refused.status == 2)
        let advice = try #require(refused.error.firstMatch(of: /(Add|Replace --issuer by): (.+)/))
        if advice.1 != "Add", let place = arguments.firstIndex(of: "--issuer") {
            arguments.removeSubrange(place...(place + 1))
        }
        arguments += advice.2.split(separator: " ").map(String.init)
        let started = try await tool.run(["idp", "serve", "--passkeys", "--json"] + arguments) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
            let scheme = options.contains("--tls") ? "https" : "http"
            #expect(object["issuer"]?.string?.hasPrefix("\(scheme)://localhost:") == true)
            return .interrupt
        }
        #expect(started.status == 0, "\(started.error)")
    }

    @Test("The advice for passkeys names the issuer of the configuration file, and the member to write")
    func passkeyAdviceOfFile() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (port, file) = (try freePort(), folder.path("provider.json"))
        let issuer = #""issuer": "http://127.0.0.1:\#(port)/a", "port": \#(port)"#
        let text = #"{\#(issuer), \#(Self.members), "passkeys": true}"#
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try await CommandLineTool().run(["idp", "serve", "--config", file])
        #expect(refused.status == 2)
        #expect(refused.error.contains(#" write: "issuer": "http://localhost:\#(port)/a""#))
    }

    @Test("A provider starts with a snapshot, warns of a file that others can read, and rejects one of another issuer")
    func snapshot() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let port = try freePort()
        let token = try folder.secretFile("token", "a-token-of-the-administration")
        let (header, state) = (folder.path("header"), folder.path("state.json"))
        let field = "Authorization: Bearer a-token-of-the-administration"
        try field.write(toFile: header, atomically: true, encoding: .utf8)
        let tool = CommandLineTool()
        let serve = ["idp", "serve", "--json", "--admin-token-file", token, "--port"]
        @Sendable func admin(_ port: Int, _ path: String, _ more: String) async -> Bool {
            let url = "http://127.0.0.1:\(port)/admin/\(path)"
            let transcript = try? await tool.runInShell(
                "curl -sf -H @'\(header)' -H 'Content-Type: application/json' \(url) \(more)"
            )
            return transcript?.status == 0
        }
        _ = try await tool.run(serve + ["\(port)"]) { line in
            guard line.hasPrefix("{") else { return .none }
            #expect(await admin(port, "users/carol", "-X PUT -d '{\"password\": \"secret\"}'"))
            #expect(await admin(port, "snapshot", "-o '\(state)'"))
            return .interrupt
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: state)
        let store = ["--store", "file:\(folder.path("provider.sqlite"))", "--snapshot", state]
        let second = try await tool.run(serve + ["\(port)"] + store) { line in
            guard line.hasPrefix("{") else { return .none }
            #expect(await admin(port, "users/carol", ""))
            return .interrupt
        }
        #expect(second.status == 0)
        #expect(second.error.contains("other users of this machine can read \(state). Run: chmod"))
        let other = try await tool.run(["idp", "serve", "--port", "0", "--snapshot", state])
        #expect(other.status == 2)
        #expect(other.error.contains("The snapshot is of the issuer http://127.0.0.1:\(port)."))
        let several = ["idp", "serve", "--issuer", "/a", "--issuer", "/b", "--snapshot", state]
        #expect(try await tool.run(several).error.contains("--snapshot is the state of one issuer"))
    }

    /// The start's line, a code, and the identifier of the ES256 key, of a provider with these options.
    private func values(
        _ options: [String]
    ) async throws -> (start: JSONObject, code: String, key: String, error: String) {
        let tool = CommandLineTool()
        let found = Mutex(("", ""))
        let served = try await tool.run(["idp", "serve", "--port", "0", "--json", "--sign-in-as", "alice"] + options) {
            line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
            let issuer = try #require(object["issuer"]?.string)
            let request =
                "response_type=code&client_id=ostiary-web&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=openid"
            let answer = try await tool.runInShell(
                "curl -s -o /dev/null -w '%{redirect_url}' '\(issuer)/authorize?\(request)'"
            )
            let keys = try await tool.runInShell("curl -s '\(issuer)/jwks'").output
            let set = try #require(try JSONObject(parsing: Array(keys.utf8))["keys"]?.array)
            let key = set.compactMap(\.object).first { $0["alg"] == "ES256" }?["kid"]?.string ?? ""
            found.withLock { $0 = (answer.output, key) }
            return .interrupt
        }
        var start = try served.json()
        start["issuer"] = nil
        let (address, key) = found.withLock { $0 }
        let code = URLComponents(string: address)?.queryItems?.first { $0.name == "code" }?.value ?? ""
        #expect(!code.isEmpty && !key.isEmpty)
        return (start, code, key, served.error)
    }

    @Test("Two starts with one seed have the same password, secret, code and key; others have others")
    func seed() async throws {
        let first = try await values(["--seed", "7"])
        let second = try await values(["--seed", "7"])
        #expect(first.error.contains("warning: with --seed anyone can foresee every code, token, secret and key."))
        #expect(first.start == second.start && first.code == second.code && first.key == second.key)
        for other in [try await values(["--seed", "8"]), try await values([])] {
            #expect(other.start["password"] != first.start["password"])
            #expect(other.code != first.code && other.key != first.key)
        }
    }

    @Test(
        "A seed is rejected with another address, another host's issuer, a store or a snapshot",
        arguments: [
            ["--host", "0.0.0.0", "--issuer", "https://idp.test"], ["--issuer", "https://idp.test"],
            ["--store", "file:p.sqlite"], ["--snapshot", "state.json"],
        ]
    )
    func wrongSeed(arguments: [String]) async throws {
        let transcript = try await CommandLineTool().run(["idp", "serve", "--port", "0", "--seed", "7"] + arguments)
        #expect(transcript.status == 2 && transcript.error.contains("--seed is for this machine and one start"))
    }

    @Test("The provider's optional endpoints are on by default")
    func abilities() async throws {
        let tool = CommandLineTool()
        _ = try await tool.run(["idp", "serve", "--port", "0", "--json"]) { line in
            guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
            let issuer = try #require(object["issuer"]?.string)
            let metadata = try await tool.run(["discover", "--issuer", issuer, "--json"]).json()
            let names = Set(try #require(metadata["endpoints"]?.object).names)
            #expect(
                names.isSuperset(of: [
                    "pushed_authorization_request_endpoint", "device_authorization_endpoint",
                    "introspection_endpoint", "registration_endpoint",
                ])
            )
            let found = try await tool.run(["discover", "--identifier", issuer + "/alice", "--json"]).json()
            #expect(found["issuer"]?.string == issuer)
            let nobody = try await tool.run(["discover", "--identifier", issuer + "/mallory", "--json"])
            #expect(nobody.status == 3)
            let register = ["register", "--issuer", issuer, "--store", "memory"]
            #expect(try await tool.run(register).status == 0)
            return .interrupt
        }
    }

    @Test("A provider with another one's manners says so, and a user signs in, refreshes and signs out")
    func like() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["keycloak", "apple"] {
            let tool = CommandLineTool(secrets: KnownSecrets())
            let served = try await tool.run(["idp", "serve", "--like", name, "--port", "0", "--json"]) { line in
                guard let object = try? JSONObject(parsing: Array(line.utf8)) else { return .none }
                let issuer = try #require(object["issuer"]?.string)
                #expect(issuer.hasSuffix("/realms/demo") == (name == "keycloak"))
                #expect(object["like"]?.string == name)
                let store = ["--store", "file:\(folder.path(name))"]
                var login = [
                    "login", "--issuer", issuer, "--client-id", try #require(object["clientID"]?.string),
                    "--user-agent", "http", "--http-user", try #require(object["user"]?.string), "--http-password-file",
                    try folder.secretFile("password-\(name)", try #require(object["password"]?.string)),
                ]
                if let secret = object["clientSecret"]?.string {
                    login += ["--client-secret-file", try folder.secretFile("secret", secret)]
                    login += ["--client-auth", "client_secret_post"]
                }
                #expect(try await tool.run(login + store).status == 0)
                #expect(try await tool.run(["refresh"] + store).status == 0)
                #expect(try await tool.run(["logout"] + store).status == 0)
                return .interrupt
            }
            #expect(served.status == 0)
        }
    }

    @Test("A ready file has the settings once the provider answers, with a subject of the named user's own")
    func readyFile() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let tool = CommandLineTool()
        let ready = folder.path("ready.json")
        let arguments = ["idp", "serve", "--port", "0", "--user", "bob", "--ready-file", ready]
        let served = try await tool.run(arguments) { line in
            guard line.hasPrefix("  password") else { return .none }
            let text = try String(contentsOfFile: ready, encoding: .utf8)
            let object = try JSONObject(parsing: Array(text.utf8))
            let issuer = try #require(object["issuer"]?.string)
            let health = try await tool.runInShell(
                "exec 3<>/dev/tcp/127.0.0.1/\(issuer.split(separator: ":").last ?? ""); "
                    + "printf 'GET /health HTTP/1.1\\r\\nHost: elsewhere\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3",
                shell: "bash"
            )
            #expect(health.output.hasPrefix("HTTP/1.1 200 OK") && health.output.hasSuffix("ok\n"))
            let login = try await tool.run([
                "login", "--issuer", issuer, "--client-id", "ostiary-demo", "--user-agent", "http", "--http-user",
                "bob",
                "--http-password-file", try folder.secretFile("password", object["password"]?.string ?? ""), "--store",
                "memory", "--scope", "openid profile", "--json",
            ])
            let claims = try login.json()["claims"]?.object
            #expect(claims?["sub"] == "user-bob")
            // The secret of the confidential client works.
            let web = try await tool.run([
                "introspect", "--issuer", issuer, "--client-id", try #require(object["webClientID"]?.string),
                "--client-secret-file", try folder.secretFile("web", object["webClientSecret"]?.string ?? ""),
                "--token-file", try folder.secretFile("unknown", "unknown"), "--json",
            ])
            #expect(web.status == 0)
            #expect(try web.json()["active"] == false)
            return .interrupt
        }
        #expect(served.status == 0)
    }

    @Test("A provider's port in use is named in one sentence")
    func portTaken() async throws {
        try await TestProvider.running { provider async throws in
            let port = try #require(URL(string: provider.issuer)?.port)
            let served = try await CommandLineTool().run(["idp", "serve", "--port", "\(port)"])
            #expect(served.status == 3)
            #expect(served.error.hasPrefix("ostiary: 127.0.0.1:\(port) is already in use. Stop the other program"))
        }
    }

    @Test("The provider uses the given user and the record file")
    func given() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let secrets = KnownSecrets()
        secrets.add("a given password")
        let tool = CommandLineTool(secrets: secrets)
        let arguments = [
            "idp", "serve", "--port", "0", "--user", "bob", "--password-file",
            try folder.secretFile("password", "a given password"), "--store", "file:\(folder.path("idp.sqlite"))",
        ]
        let served = try await tool.run(arguments) { $0.hasPrefix("  user") ? .interrupt : .none }
        #expect(served.status == 0 && served.output.isEmpty)
        #expect(served.error.contains("  user               bob\n") && !served.error.contains("password"))
        #expect(FileManager.default.fileExists(atPath: folder.path("idp.sqlite")))
    }

    @Test("discover shows both metadata documents and that nothing is missing")
    func discover() async throws {
        try await TestProvider.running { provider async throws in
            let text = try await provider.tool.run(["discover", "--issuer", provider.issuer])
            #expect(text.status == 0 && text.error.isEmpty)
            #expect(
                text.output.contains(
                    "  openid-configuration        found  \(provider.issuer)/.well-known/openid-configuration\n"
                )
            )
            let lines = text.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("  token_endpoint  ") && $0.hasSuffix("  \(provider.issuer)/token") })
            #expect(text.output.hasSuffix("\nNothing is missing for a sign-in.\n"))
            let json = try await provider.tool.run(["discover", "--issuer", provider.issuer, "--json"]).json()
            #expect(json["missing"]?.array == [])
            #expect(json["endpoints"]?.object?["jwks_uri"]?.string == "\(provider.issuer)/jwks")
        }
        try await TestProvider.running({ scenario in
            scenario.metadata = { metadata in
                metadata["token_endpoint"] = nil
                metadata["code_challenge_methods_supported"] = ["plain"]
            }
        }) { provider async throws in
            let json = try await provider.tool.run(["discover", "--issuer", provider.issuer, "--json"]).json()
            #expect(json["missing"]?.array == ["token_endpoint", "PKCE with S256"])
        }
    }
}
