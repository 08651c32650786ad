import Foundation
import OstiaryJOSE
import ProviderServer
import Testing

@Suite("Certificates, proxies and traces", .fewAtOnce)
struct NetworkTranscripts {
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// An issuer behind TLS whose certificate only its own authority vouches for.
    private func withPrivateIssuer(
        names: String,
        days: Int = 2,
        _ body: @escaping @Sendable (_ issuer: String, _ folder: TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let port = try freePort()
        let issuer = "https://localhost:\(port)"
        let metadata: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/jwks"),
        ]
        let text = String(decoding: metadata.encoded(), as: UTF8.self)
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n"
            + "Connection: close\r\n\r\n" + text
        try FileManager.default.createDirectory(
            atPath: folder.path("web/.well-known"),
            withIntermediateDirectories: true
        )
        try Data(answer.utf8).write(to: URL(filePath: folder.path("web/.well-known/openid-configuration")))
        let tool = CommandLineTool()
        let making = try await tool.runInShell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout '\(folder.path("key.pem"))' \
            -out '\(folder.path("ca.pem"))' -days \(days) -subj /CN=Private -addext 'subjectAltName=\(names)'
            """
        )
        #expect(making.status == 0)
        _ = try await tool.runInShell(
            """
            cd '\(folder.path("web"))' && exec openssl s_server -accept 127.0.0.1:\(port) -HTTP -quiet \
            -cert '\(folder.path("ca.pem"))' -key '\(folder.path("key.pem"))'
            """,
            meanwhile: { send in
                do {
                    try await body(issuer, folder)
                } catch {
                    try send(.terminate)
                    throw error
                }
                try send(.terminate)
            }
        )
    }

    /// Runs a command until its server listens.
    private func run(_ tool: CommandLineTool, _ arguments: [String]) async throws -> CommandLineTool.Transcript {
        for _ in 0..<100 {
            let transcript = try await tool.run(arguments)
            if !transcript.error.contains("Cannot connect") { return transcript }
        }
        return try await tool.run(arguments)
    }

    @Test(
        "A private CA is trusted by --ca-file, OSTIARY_CA_FILE and SSL_CERT_FILE alone",
        .enabled(if: hasOpenSSL)
    )
    func privateAuthority() async throws {
        try await withPrivateIssuer(names: "DNS:localhost") { issuer, folder in
            let discover = ["discover", "--issuer", issuer]
            let ca = folder.path("ca.pem")
            let unknown = try await run(CommandLineTool(), discover)
            #expect(unknown.status == 4)
            let place = issuer.dropFirst("https://".count)
            #expect(unknown.error.hasPrefix("ostiary: TLS failed for \(place): the certificate is not trusted"))
            // The next step that is printed.
            #expect(unknown.error.contains("add: --ca-file FILE"))
            for arguments in [discover + ["--ca-file", ca], ["--ca-file=\(ca)"] + discover] {
                #expect(try await CommandLineTool().run(arguments).status == 0)
            }
            for name in ["OSTIARY_CA_FILE", "SSL_CERT_FILE"] {
                #expect(try await CommandLineTool(environment: [name: ca]).run(discover).status == 0)
            }
        }
        let missing = try await CommandLineTool().run(["discover", "--issuer", "x", "--ca-file", "/nonexistent"])
        #expect(missing.status == 2 && missing.error.contains("/nonexistent cannot be read"))
        let empty = try await CommandLineTool().run(["discover", "--issuer", "x", "--ca-file", "/etc/hostname"])
        #expect(empty.status == 2 && empty.error.contains("holds no certificate in PEM"))
    }

    @Test("A certificate for another host is reported with the hosts that it names", .enabled(if: hasOpenSSL))
    func otherHost() async throws {
        try await withPrivateIssuer(names: "DNS:other.example") { issuer, folder in
            let discover = ["discover", "--issuer", issuer, "--ca-file", folder.path("ca.pem")]
            let transcript = try await run(CommandLineTool(), discover)
            #expect(transcript.status == 4)
            #expect(transcript.error.contains("the certificate is for other.example."))
        }
    }

    @Test("A server without TLS at an https URL is reported as such")
    func plainHTTP() async throws {
        try await TestProvider.running { provider async throws in
            let issuer = provider.issuer.replacingOccurrences(of: "http:", with: "https:")
            let transcript = try await provider.tool.run(["discover", "--issuer", issuer])
            #expect(transcript.status == 4)
            #expect(transcript.error.contains("the server does not speak TLS on this port"))
        }
    }

    @Test("A proxy is used for every host except this machine and the exceptions")
    func proxy() async throws {
        // Nothing listens there: a request through it fails at the proxy, and one past it at the host's name.
        let proxy = "http://127.0.0.1:\(try freePort())"
        let discover = ["discover", "--issuer", "https://id.invalid"]
        for (variables, more) in [
            (["HTTPS_PROXY": proxy], [String]()), (["all_proxy": proxy], []), ([:], ["--proxy", proxy]),
        ] {
            let transcript = try await CommandLineTool(environment: variables).run(discover + more)
            #expect(transcript.status == 4)
            #expect(
                transcript.error.hasPrefix(
                    "ostiary: Cannot connect to id.invalid:443 through the proxy \(proxy.dropFirst("http://".count))."
                )
            )
        }
        let excepted = CommandLineTool(environment: ["HTTPS_PROXY": proxy, "NO_PROXY": "example.com, .invalid"])
        #expect(try await excepted.run(discover).error.hasPrefix("ostiary: The name id.invalid has no address."))
        try await TestProvider.running { provider async throws in
            var tool = provider.tool
            tool.environment["http_proxy"] = proxy
            #expect(try await tool.run(["discover", "--issuer", provider.issuer]).status == 0)
        }
        let wrong = try await CommandLineTool().run(discover + ["--proxy", "socks5://user:secret@host"])
        #expect(wrong.status == 2 && wrong.error.contains("--proxy is not the URL of an http proxy"))
        #expect(!wrong.error.contains("secret"))
    }

    @Test("A trace shows each request and response without secrets", arguments: ["text", "jsonl", "har"])
    func trace(_ kind: String) async throws {
        try await TestProvider.running { provider async throws in
            let file = provider.folder.path("trace." + kind)
            let login = try await provider.tool.run(try provider.login("--trace", file))
            #expect(login.status == 0)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(provider.secrets.found(in: text).isEmpty)
            #expect(text.contains("/token") && text.contains("authorization_code"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            switch kind {
            case "text": #expect(text.contains("> POST \(provider.issuer)/token\n") && text.contains("< 200 ("))
            case "har":
                let entries = try JSONObject(parsing: Array(text.utf8))["log"]?.object?["entries"]?.objects
                let methods = entries?.compactMap { $0["request"]?.object?["method"]?.string }
                #expect(methods?.contains("POST") == true)
                #expect(entries?.allSatisfy { $0["startedDateTime"]?.string != nil } == true)
            default:
                for line in text.split(separator: "\n") { _ = try JSONObject(parsing: Array(line.utf8)) }
            }
            let shown = try await provider.tool.run(["userinfo", "--trace", "-"])
            #expect(shown.status == 0 && shown.error.contains("> GET \(provider.issuer)/userinfo"))
        }
    }
}

@Suite("Defaults from variables and the configuration file", .fewAtOnce)
struct DefaultsTranscripts {
    @Test("Options override environment variables, which override the file")
    func defaults() async throws {
        try await TestProvider.running { provider async throws in
            var tool = provider.tool
            let person = try provider.login().drop { $0 != "--user-agent" }
            let config: JSONObject = [
                "profile": "filed", "issuer": .string(provider.issuer),
                "client_id": .string(DevelopmentProvider.appClientID),
            ]
            tool.environment["OSTIARY_CONFIG"] = try provider.folder.secretFile(
                "config.json",
                String(decoding: config.encoded(), as: UTF8.self)
            )
            #expect(try await tool.run(["login"] + person).status == 0)
            let list = try await tool.run(["sessions", "list", "--json"]).json()["sessions"]?.objects
            #expect(list?.compactMap { $0["profile"]?.string } == ["filed"])
            #expect(try await tool.run(["discover"]).status == 0)
            tool.environment["OSTIARY_PROFILE"] = "varied"
            let signedOut = try await tool.run(["status"])
            #expect(signedOut.status == 6 && signedOut.error.contains("(profile \"varied\")"))
            #expect(try await tool.run(["status", "--profile", "filed"]).status == 0)
            tool.environment["OSTIARY_STORE"] = "file:" + provider.folder.path("elsewhere")
            #expect(try await tool.run(["status", "--profile", "filed"]).status == 6)
        }
    }

    @Test("An invalid variable or an unknown member is named before anything is done")
    func mistakes() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let variable = try await CommandLineTool(environment: ["OSTIARY_PROFILE": "a b"]).run(["status"])
        #expect(variable.status == 2 && variable.error.hasPrefix("ostiary: OSTIARY_PROFILE is not a profile name"))
        let file = try folder.secretFile("config.json", #"{"profil":"a"}"#)
        let member = try await CommandLineTool(environment: ["OSTIARY_CONFIG": file]).run(["status", "--json"])
        #expect(member.status == 2)
        #expect(try member.json()["error"]?.object?["message"]?.string?.contains("unknown member profil") == true)
    }
}

@Suite("Keys, tokens and proofs made by hand", .fewAtOnce)
struct HandmadeTranscripts {
    @Test("A generated key signs a client in, and only its public key is printed", arguments: ["key.json", "key.pem"])
    func key(_ name: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path(name)
        let tool = CommandLineTool()
        let made = try await tool.run(["key", "make", "--output-file", file])
        #expect(made.status == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let set = try JSONObject(parsing: Array(made.output.utf8))
        let key = try #require(set["keys"]?.objects?.first)
        #expect(key["crv"] == "P-256" && key["d"] == nil && key["alg"] == "ES256")
        #expect(try await tool.run(["key", "make", "--output-file", file]).status == 2)

        let jwks = try folder.secretFile("jwks", made.output)
        let sign = [
            "jwt", "sign", "--key", file, "--claim", "iss=app", "--claim", "aud=api", "--claim", "level=3", "--claim",
            "sub=alice", "--lifetime", "30",
        ]
        let token = try await tool.run(sign)
        #expect(token.status == 0)
        let verified = try await tool.run([
            "jwt", "verify", try folder.secretFile("token", String(token.output.dropLast())), "--jwks", jwks,
            "--audience", "api", "--type", "id_token", "--json",
        ])
        let claims = try #require(try verified.json()["claims"]?.object)
        #expect(verified.status == 0 && claims["level"] == 3 && claims["iss"] == "app")
        let (issued, expires) = (try #require(claims["iat"]?.integer), try #require(claims["exp"]?.integer))
        #expect(expires - issued == 30 && claims["jti"]?.string != nil)

        let proof = try await tool.run([
            "dpop", "--key", file, "--method", "post", "--url", "https://id.example.com/token?a=b", "--nonce", "n",
            "--json",
        ])
        let object = try proof.json()
        #expect(object["claims"]?.object?["htu"] == "https://id.example.com/token")
        #expect(object["claims"]?.object?["htm"] == "POST" && object["claims"]?.object?["nonce"] == "n")
        let decoded = try await tool.run([
            "jwt", "decode", try folder.secretFile("proof", try #require(object["proof"]?.string)), "--json",
        ])
        let header = try #require(try decoded.json()["header"]?.object)
        #expect(header["typ"] == "dpop+jwt" && header["kid"] == nil && header["jwk"]?.object?["d"] == nil)
    }

    @Test("A proof key is that of RFC 7636's example for its verifier, and new ones are long enough")
    func proofKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.secretFile("verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        let known = try await CommandLineTool().run(["pkce", "--verifier-file", file, "--json"]).json()
        #expect(known["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let made = try await CommandLineTool().run(["pkce", "--json"]).json()
        #expect(made["code_verifier"]?.string?.count == 43 && made["code_challenge"]?.string?.count == 43)
        let short = try await CommandLineTool().run(["pkce", "--verifier-file", try folder.secretFile("short", "a")])
        #expect(short.status == 2)
    }
}
