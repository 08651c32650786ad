import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Extensions of the sign-in", .fewAtOnce, .serialized)
struct ExtensionTranscripts {
    @Test("A request is pushed when the user asks for it, and --explain shows it")
    func pushed() async throws {
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(try provider.login("--par", "always", "--explain"))
            #expect(login.status == 0)
            #expect(login.error.contains("POST \(provider.issuer)/par: 201 (authorization)\n"))
            let plain = try await provider.tool.run(try provider.login("--par", "never", "--explain"))
            #expect(plain.status == 0 && !plain.error.contains("/par"))
        }
    }

    @Test("A request that must be pushed is never sent otherwise")
    func required() async throws {
        try await TestProvider.running {
            $0.metadata = { $0["require_pushed_authorization_requests"] = true }
        } _: { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let never = try await provider.tool.run(try provider.login("--par", "never", "--json"))
            #expect(try never.failure() == FailureWords(3, "authorization", "configuration"))
        }
    }

    @Test("A server without pushed requests is reported as unsupported")
    func notPushed() async throws {
        try await TestProvider.running {
            $0.metadata = { $0["pushed_authorization_request_endpoint"] = nil }
        } _: { provider async throws in
            let login = try await provider.tool.run(try provider.login("--par", "always", "--json"))
            #expect(try login.failure() == FailureWords(3, "authorization", "unsupported"))
        }
    }

    @Test("Bound tokens stay bound in every later command")
    func bound() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let login = try await tool.run(try provider.login("--dpop", "--json"))
            #expect(try login.json()["tokenType"] == "DPoP")
            #expect(try await tool.run(["refresh", "--json"]).json()["tokenType"] == "DPoP")
            #expect(try await tool.run(["token", "--json"], printing: .onPurpose).json()["tokenType"] == "DPoP")
            #expect(try await tool.run(["userinfo", "--json"]).json()["claims"]?.object?["sub"] == "user-alice")
            #expect(try await tool.run(["logout"]).status == 0)
        }
    }

    @Test("A bearer token in response to a DPoP proof is rejected")
    func downgraded() async throws {
        try await TestProvider.running({ $0 = .bearerDowngrade }) { provider async throws in
            let login = try await provider.tool.run(try provider.login("--dpop", "--json"))
            #expect(try login.failure() == FailureWords(7, "token", "mismatch", check: "token_type"))
        }
    }

    @Test("A resource's token is requested when the command asks for it")
    func resource() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login("--resource", TestProvider.resource)).status == 0)
            let own = try await tool.run(["token"], printing: .onPurpose)
            let arguments = ["token", "--resource", TestProvider.resource]
            let resource = try await tool.run(arguments, printing: .onPurpose)
            #expect(own.status == 0 && resource.status == 0 && own.output != resource.output)
            #expect(try await tool.run(arguments, printing: .onPurpose).output == resource.output)
            let answer = try await tool.run(arguments + ["--json"], printing: .onPurpose).json()
            #expect(answer.names == ["ok", "accessToken", "tokenType", "expiresAt", "resource"])
            #expect(answer["resource"]?.string == TestProvider.resource && answer["expiresAt"]?.string != nil)
            #expect(try await tool.run(["userinfo"]).status == 0)
        }
    }

    @Test("A resource that the server does not know is a configuration failure")
    func unknownResource() async throws {
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(
                try provider.login("--resource", "https://other.example.com", "--json")
            )
            #expect(try login.failure() == FailureWords(3, "authorization", "refused", code: "invalid_target"))
        }
    }

    @Test("A client authenticates with its key, whose path the profile keeps", arguments: ["pem", "jwk"])
    func key(_ form: String) async throws {
        let key = try SigningKey.generate(.es256, keyID: "k1")
        try await TestProvider.running(configuring: { configuration in
            let keys = JSONWebKeySet([key.publicKey])
            let method = RegisteredClient.AuthenticationMethod.privateKeyJWT(keys: keys, algorithm: .es256)
            configuration.clients.append(try TestProvider.confidential("key", method))
        }) { provider async throws in
            let tool = provider.tool
            let jwk = try key.privateJWK()
            provider.secrets.add(jwk["d"]?.string)
            let content = form == "jwk" ? String(decoding: jwk.encoded(), as: UTF8.self) : key.pemRepresentation()
            let file = try provider.folder.secretFile("key", content)
            let login = try await tool.run(try provider.login("--client-key", file, client: "key"))
            // A key in PEM has no name but its thumbprint.
            guard form == "jwk" else {
                #expect(login.status == 3)
                return
            }
            #expect(login.status == 0)
            #expect(try await tool.run(["refresh"]).status == 0)
            try FileManager.default.removeItem(atPath: file)
            let without = try await tool.run(["refresh", "--json"])
            #expect(try without.failure().reason == "configuration")
            #expect(try await tool.run(["token"], printing: .onPurpose).status == 0)
            let logout = try await tool.run(["logout", "--json"])
            #expect(logout.status == 0)
            #expect(try logout.json()["revocation"] == "failed")
            #expect(try await tool.run(["token"]).status == 6)
        }
    }

    @Test("The FAPI 2.0 profile names missing options, and signs in with all of them")
    func fapi() async throws {
        let key = try SigningKey.generate(.es256)
        try await TestProvider.running(configuring: { configuration in
            let keys = JSONWebKeySet([key.publicKey])
            let method = RegisteredClient.AuthenticationMethod.privateKeyJWT(keys: keys, algorithm: .es256)
            configuration.clients.append(try TestProvider.confidential("bank", method))
        }) { provider async throws in
            let tool = provider.tool
            let file = try provider.folder.secretFile("key", key.pemRepresentation())
            let unbound = try await tool.run(
                try provider.login("--security", "fapi2", "--client-key", file, client: "bank")
            )
            #expect(
                unbound.status == 2 && unbound.error.contains("--security fapi2 needs --client-key FILE and --dpop.")
            )
            let login = try await tool.run(
                try provider.login(
                    "--security",
                    "fapi2",
                    "--client-key",
                    file,
                    "--dpop",
                    "--explain",
                    "--json",
                    client: "bank"
                )
            )
            #expect(login.status == 0)
            let requests = try #require(try login.json()["requests"]?.array)
            #expect(requests.contains { $0.object?["endpoint"]?.string == provider.issuer + "/par" })
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("OAuth 2.1 rejects a server that does not announce PKCE")
    func oauth21() async throws {
        try await TestProvider.running {
            $0.metadata = { $0["code_challenge_methods_supported"] = nil }
        } _: { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let login = try await provider.tool.run(try provider.login("--security", "oauth21", "--json"))
            #expect(try login.failure() == FailureWords(3, "authorization", "unsupported"))
        }
    }

    @Test("An explanation lists each request and each check, and no secret")
    func explained() async throws {
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(try provider.login("--explain"))
            #expect(login.status == 0)
            #expect(login.error.contains("POST \(provider.issuer)/token: 200 (token)\n"))
            let line = try #require(login.error.split(separator: "\n").first { $0.contains("id_token.aud ") })
            #expect(line.hasPrefix("  passed  id_token.aud "))
            #expect(
                line.hasSuffix(
                    "expected: ostiary-demo; found: ostiary-demo [OpenID Connect Core section 3.1.3.7 rule 3]"
                )
            )
            let refresh = try await provider.tool.run(["refresh", "--explain", "--json"])
            #expect(refresh.error.isEmpty)
            let checks = try #require(try refresh.json()["checks"]?.array)
            #expect(checks.contains { $0.object?["name"] == "refresh.sub" })
            #expect(checks.allSatisfy { $0.object?["outcome"] == "passed" })
        }
    }

    @Test("An explanation shows the check that failed")
    func explainedFailure() async throws {
        try await TestProvider.running {
            $0.idToken = { $0.claims["aud"] = "bob-subject" }
        } _: { provider async throws in
            let login = try await provider.tool.run(try provider.login("--explain", "--json"))
            #expect(try login.failure() == FailureWords(7, "identity", "mismatch", check: "aud"))
            let checks = try #require(try login.json()["checks"]?.objects)
            let failed = checks.filter { $0["outcome"] == "failed" }
            #expect(failed.compactMap { $0["name"]?.string }.first == "id_token.aud")
            #expect(failed.first?["found"] == "bob-subject")
        }
    }

    @Test("A wrong device clock is reported once, in text and in JSON")
    func clock() async throws {
        let server = try LoopbackServer { request in
            let issuer = "http://" + (request.values(of: "host").first ?? "")
            return .response(
                200,
                ["Content-Type: application/json", "Date: \(Date(timeIntervalSinceNow: -840).httpDate)"],
                body: #"{"issuer":"\#(issuer)"}"#
            )
        }
        defer { server.stop() }
        let login = [
            "login", "--issuer", "http://127.0.0.1:\(server.port)", "--client-id", "app", "--user-agent", "http",
            "--store", "memory",
        ]
        let text = try await CommandLineTool().run(login)
        #expect(text.error.split(separator: "\n").count { $0 == "The clock of this device is 14 minutes fast." } == 1)
        let answer = try await CommandLineTool().run(login + ["--json"])
        #expect(answer.error.isEmpty)
        let clock = try #require(try answer.json()["clock"]?.object)
        #expect(clock["message"] == "The clock of this device is 14 minutes fast.")
        #expect((830...850).contains(clock["offset"]?.integer ?? 0))
    }
}

extension Date {
    /// As RFC 9110 section 5.6.7 writes it.
    fileprivate var httpDate: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: self)
    }
}
