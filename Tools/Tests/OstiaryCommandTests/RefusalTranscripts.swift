import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Refusals", .fewAtOnce)
struct RefusalTranscripts {
    @Test("A wrong password is the user's failure, and an earlier session is kept")
    func wrongPassword() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let before = try await tool.run(["token"], printing: .onPurpose).output
            let login = try await tool.run(try provider.login(password: "wrong horse") + ["--json"])
            #expect(
                try login.failure() == FailureWords(5, "authorization", "refused", code: "access_denied")
            )
            #expect(try await tool.run(["token"], printing: .onPurpose).output == before)
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    @Test("A denied consent is reported as access_denied")
    func denied() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider, answer: .deny)
            let login = try await provider.tool.run(person.login) { line in try await person.carry(line) }
            #expect(try login.failure() == FailureWords(5, "redirect", "refused", code: "access_denied"))
        }
    }

    @Test("A wrong client secret is a configuration failure, and an earlier session is kept")
    func wrongSecret() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let right = try provider.folder.secretFile("right", TestProvider.clientSecret)
            let wrong = try provider.folder.secretFile("wrong", "another secret")
            #expect(try await tool.run(try provider.login("--client-secret-file", right, client: "basic")).status == 0)
            let login = try await tool.run(try provider.login("--client-secret-file", wrong, "--json", client: "basic"))
            #expect(try login.failure() == FailureWords(3, "authorization", "refused", code: "invalid_client"))
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }

    struct Tampering: Sendable {
        var change: @Sendable (String) -> String
        var failure: FailureWords
    }

    @Test(
        "A tampered redirect is rejected",
        arguments: [
            Tampering(
                change: { $0.replacingOccurrences(of: "state=", with: "state=x") },
                failure: FailureWords(7, "redirect", "mismatch", check: "state")
            ),
            Tampering(
                change: { $0.replacingOccurrences(of: "iss=http", with: "iss=https") },
                failure: FailureWords(7, "redirect", "mismatch", check: "iss")
            ),
            Tampering(
                change: { $0.replacingOccurrences(of: "/callback?", with: "/other?") },
                failure: FailureWords(7, "redirect", "mismatch", check: "redirect_uri")
            ),
            Tampering(
                change: { $0.replacingOccurrences(of: "127.0.0.1/", with: "127.0.0.1:81/") },
                failure: FailureWords(7, "redirect", "mismatch", check: "redirect_uri")
            ),
            Tampering(
                change: { $0 + "&state=1" },
                failure: FailureWords(7, "redirect", "mismatch", check: "repeated_parameter")
            ),
            Tampering(
                change: { _ in "what?" },
                failure: FailureWords(7, "redirect", "mismatch", check: "redirect_uri")
            ),
            Tampering(
                change: { $0.replacingOccurrences(of: "code=", with: "code=x") },
                failure: FailureWords(8, "token", "refused", code: "invalid_grant")
            ),
        ]
    )
    func tampered(_ tampering: Tampering) async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider)
            let login = try await provider.tool.run(person.login) { line in
                try await person.carry(line, changing: tampering.change)
            }
            #expect(try login.failure() == tampering.failure)
            #expect(try await provider.tool.run(["token"]).status == 6)
        }
    }

    @Test("Server text cannot control the terminal")
    func escapes() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider)
            let login = try await provider.tool.run(person.login.dropLast()) { line in
                guard line.hasPrefix("http") else { return .none }
                let redirect = try await person.redirect(from: line)
                let state = try #require(redirect.split(separator: "&").first { $0.contains("state=") })
                let error = "?error=server_error&error_description=%E2%80%AEevil%C2%9B31m%1B%5B2J"
                let issuer = "&iss=" + FormURLEncoding.escape(provider.issuer)
                return .type("http://127.0.0.1/callback" + error + "&" + state.drop { $0 != "s" } + issuer)
            }
            #expect(login.status == 8)
            #expect(login.error.contains(#"server_error: \u{202E}evil"#))
            #expect(!login.error.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" || $0 == "\u{202E}" })
        }
    }

    @Test("An ID token that fails a check is rejected with the check's name")
    func identity() async throws {
        try await TestProvider.running({ $0.idToken = Scenario.invalidNonce.idToken }) { provider async throws in
            let login = try await provider.tool.run(try provider.login("--json"))
            #expect(try login.failure() == FailureWords(7, "identity", "mismatch", check: "nonce"))
        }
        try await TestProvider.running { provider async throws in
            let login = try await provider.tool.run(try provider.login("--id-token-alg", "PS256", "--json"))
            #expect(try login.failure() == FailureWords(3, "authorization", "unsupported"))
        }
    }

    @Test("A session restored from an old copy ends as revoked, and is removed")
    func endedByProvider() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let here = ["--store", "file:\(provider.folder.path("here"))"]
            let copy = ["--store", "file:\(provider.folder.path("copy"))"]
            #expect(try await tool.run(try provider.login() + here).status == 0)
            try FileManager.default.copyItem(atPath: provider.folder.path("here"), toPath: provider.folder.path("copy"))
            #expect(try await tool.run(["refresh"] + here).status == 0)
            let refresh = try await tool.run(["refresh", "--json"] + copy)
            #expect(try refresh.failure() == FailureWords(6, "refresh", "refused", code: "invalid_grant"))
            #expect(try refresh.json()["sessionEnd"] == "revoked")
            #expect(
                try await tool.run(["token", "--json"] + copy).failure() == FailureWords(6, "storage", "signInRequired")
            )
        }
    }

    @Test("An interrupted sign-in is cancelled, and its port is released")
    func interrupted() async throws {
        try await TestProvider.running { provider async throws in
            var tool = provider.tool
            tool.environment["BROWSER"] = "true"
            let port = try freePort()
            let login = [
                "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--redirect-uri",
                "http://127.0.0.1:\(port)/callback", "--json",
            ]
            for _ in 0..<2 {
                let transcript = try await tool.run(login) { $0.hasPrefix("Opening the browser") ? .interrupt : .none }
                #expect(try transcript.failure() == FailureWords(5, "authorization", "cancelled"))
            }
            let person = Person(provider)
            #expect(
                try await tool.run(person.login, reaction: { $0.hasPrefix("http") ? .interrupt : .none }).failure()
                    == FailureWords(5, "authorization", "cancelled")
            )
            #expect(
                try await tool.run(person.login).failure() == FailureWords(5, "authorization", "cancelled")
            )
        }
    }

    @Test("A sign-in without an answer ends at --timeout")
    func timeout() async throws {
        try await TestProvider.running { provider async throws in
            let person = Person(provider)
            let transcript = try await provider.tool.run(person.login + ["--timeout", "1"], reaction: { _ in .none })
            #expect(try transcript.failure() == FailureWords(9, "authorization", "timedOut"))
        }
    }

    @Test("A second sign-in at the same fixed port reports the port as in use")
    func takenPort() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run([
                "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--redirect-uri",
                "http://127.0.0.1:\(provider.server.port)/callback", "--json",
            ])
            #expect(try transcript.failure() == FailureWords(3, "authorization", "configuration"))
            let second = try await provider.tool.run(["idp", "serve", "--port", "\(provider.server.port)", "--json"])
            #expect(try second.failure() == FailureWords(3, nil, "configuration"))
        }
    }

    @Test("A secret file that others can read causes a warning with the fix")
    func readableSecret() async throws {
        try await TestProvider.running { provider async throws in
            // A file that the group alone can read fails as well.
            for mode in [0o644, 0o640] {
                let file = try provider.folder.secretFile("open-\(mode)", TestProvider.clientSecret, mode: mode)
                let login = try await provider.tool.run(
                    try provider.login("--client-secret-file", file, client: "basic")
                )
                #expect(login.status == 0)
                #expect(
                    login.error
                        == "ostiary: warning: other users of this machine can read \(file). Run: chmod 600 \(file)\n"
                )
                let line = try #require(login.error.components(separatedBy: "Run: ").last)
                #expect(try await provider.tool.runInShell(line).status == 0)
                let again = try provider.login("--client-secret-file", file, client: "basic")
                #expect(try await provider.tool.run(again).error.isEmpty)
            }
        }
    }
}
