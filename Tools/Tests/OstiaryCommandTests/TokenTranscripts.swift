import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Tokens", .fewAtOnce, .serialized)
struct TokenTranscripts {
    /// Signs in, as a client with a secret if it is to ask about tokens, and puts the access token into a file.
    private func tokenFile(
        _ provider: TestProvider,
        client: String = DevelopmentProvider.appClientID
    ) async throws -> String {
        var login = try provider.login(client: client)
        if client == "basic" { login += ["--client-secret-env", "OSTIARY_TEST_SECRET"] }
        #expect(try await provider.tool.run(login).status == 0)
        let token = try await provider.tool.run(["token"], printing: .onPurpose).output
        return try provider.folder.secretFile("token", String(token.dropLast()))
    }

    private func client(_ provider: TestProvider) throws -> [String] {
        [
            "--issuer", provider.issuer, "--client-id", "basic", "--client-secret-file",
            try provider.folder.secretFile("client", TestProvider.clientSecret),
        ]
    }

    @Test("A token is exchanged, and the new one is written to the named output")
    func exchange() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let file = try await tokenFile(provider)
            let exchange =
                ["exchange", "--subject-token-file", file, "--subject-token-type", "access_token"]
                + (try client(provider)) + ["--resource", TestProvider.resource]
            let target = provider.folder.path("new")
            let quiet = try await tool.run(exchange + ["--output-file", target, "--json"])
            #expect(quiet.status == 0)
            let answer = try quiet.json()
            #expect(answer.names == ["ok", "issuedTokenType", "tokenType", "scope", "expiresAt"])
            #expect(answer["issuedTokenType"]?.string == TokenType.accessToken.rawValue)
            let written = try String(contentsOfFile: target, encoding: .utf8)
            #expect(provider.secrets.found(in: written).count == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            let raw = try await tool.run(exchange + ["--output-file", "-"], printing: .onPurpose)
            #expect(raw.status == 0 && raw.output.count { $0 == "\n" } == 1 && raw.output != written)
            let table = try await tool.run(exchange + ["--output-file", target])
            #expect(table.status == 0 && table.output.hasPrefix("Exchanged\n\n"))
        }
    }

    @Test("An exchanged token of another type than requested is rejected")
    func otherKind() async throws {
        try await TestProvider.running({ $0 = .otherIssuedTokenType }) { provider async throws in
            let file = try await tokenFile(provider)
            let transcript = try await provider.tool.run([
                "exchange", "--subject-token-file", file, "--requested-token-type", "access_token", "--output-file",
                "-", "--json",
            ])
            #expect(try transcript.failure() == FailureWords(7, "token", "mismatch", check: "issued_token_type"))
        }
    }

    @Test("A token exchange for an unknown audience is a configuration failure")
    func unknownAudience() async throws {
        try await TestProvider.running { provider async throws in
            let file = try await tokenFile(provider)
            let transcript = try await provider.tool.run(
                ["exchange", "--subject-token-file", file, "--audience", "nobody", "--output-file", "-", "--json"]
                    + (try client(provider))
            )
            #expect(try transcript.failure() == FailureWords(3, "token", "refused", code: "invalid_target"))
        }
    }

    @Test("An unwritable output file is reported before anything is sent")
    func unwritable() async throws {
        let transcript = try await CommandLineTool().run([
            "exchange", "--issuer", "http://127.0.0.1:1", "--client-id", "a", "--subject-token-file", "/etc/hostname",
            "--output-file", "/nonexistent/token",
        ])
        #expect(
            transcript.status == 2
                && transcript.error.contains("/nonexistent/token cannot be written: No such file or directory.")
        )
    }

    @Test("introspect prints the issuer's claims about a token until it is revoked")
    func introspect() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let file = try await tokenFile(provider, client: "basic")
            let own = try await tool.run(["introspect", "--json"])
            #expect(own.status == 0)
            #expect(try own.json()["active"] == true)
            #expect(try own.json()["claims"]?.object?["sub"] == "user-alice")
            let table = try await tool.run(["introspect", "--token-file", file])
            #expect(table.output.hasPrefix("Active\n\n") && table.output.contains("user-alice"))

            let revoke = try await tool.run(["revoke", "--json"])
            #expect(revoke.output == #"{"ok":true,"revocation":"revoked"}"# + "\n")
            let after = try await tool.run(["introspect", "--token-file", file, "--json"])
            #expect(after.output == #"{"ok":true,"active":false}"# + "\n")
            let words = try await tool.run(["introspect", "--token-file", file])
            #expect(words.status == 0 && words.output.hasSuffix(", or this client may not look it up.\n"))
            #expect(try await tool.run(["refresh"]).status == 0)
            #expect(try await tool.run(["introspect", "--json"]).json()["active"] == true)
        }
    }

    @Test("A token can be read from standard input")
    func input() async throws {
        try await TestProvider.running { provider async throws in
            let file = try await tokenFile(provider, client: "basic")
            var tool = provider.tool
            tool.environment["TOKEN_FILE"] = file
            let state = try await tool.runInShell(#"ostiary introspect --token-file - --json < "$TOKEN_FILE""#)
            #expect(try state.json()["active"] == true)
            #expect(try await tool.run(["introspect", "--token-file", "-"]).status == 2)
        }
    }

    @Test("A client without the right to introspect, and a server without introspection, are reported")
    func refused() async throws {
        try await TestProvider.running { provider async throws in
            let file = try await tokenFile(provider)
            let wrong = try provider.folder.secretFile("wrong", "another secret")
            let transcript = try await provider.tool.run([
                "introspect", "--issuer", provider.issuer, "--client-id", "basic", "--client-secret-file", wrong,
                "--token-file", file, "--json",
            ])
            #expect(try transcript.failure() == FailureWords(3, "introspection", "refused", code: "invalid_client"))
        }
        try await TestProvider.running {
            $0.metadata = {
                $0["introspection_endpoint"] = nil
                $0["revocation_endpoint"] = nil
            }
        } _: { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let introspect = try await provider.tool.run(["introspect", "--json"])
            #expect(try introspect.failure() == FailureWords(3, "introspection", "unsupported"))
            let revoke = try await provider.tool.run(["revoke", "--json"])
            #expect(try revoke.failure() == FailureWords(3, "revocation", "unsupported"))
        }
    }

    @Test("A token is introspected at a given https endpoint where the metadata names none")
    func introspectionEndpoint() async throws {
        try await TestProvider.running({ $0.metadata = { $0["introspection_endpoint"] = nil } }) {
            provider async throws in
            let tool = provider.tool
            let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
            #expect(try await tool.run(try provider.login(client: "basic") + secret).status == 0)
            #expect(try await tool.run(["introspect"]).status == 3)
            let place = ["--introspection-endpoint", provider.issuer + "/introspect", "--json"]
            let own = try await tool.run(["introspect"] + place)
            #expect(own.status == 0)
            #expect(try own.json()["claims"]?.object?["sub"] == "user-alice")
            for unsafe in ["http://id.example.com/introspect", "introspect", "https://user:word@id.example.com/"] {
                let refused = try await tool.run(["introspect", "--introspection-endpoint", unsafe])
                #expect(
                    refused.status == 2 && refused.error.contains("is an https URL, or an http URL on this machine")
                )
            }
        }
    }
}
