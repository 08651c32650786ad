import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Keys and tokens without a sign-in", .fewAtOnce, .serialized)
struct KeyTranscripts {
    @Test("An issuer's keys are listed, and unusable ones are named")
    func keys() async throws {
        try await TestProvider.running {
            $0.keySet = { set in
                var keys = set["keys"]?.array ?? []
                keys += keys
                keys.append(["kty": "oct", "kid": "shared", "k": "c2VjcmV0"])
                keys.append(["kty": "RSA", "kid": "weak", "n": "2w", "e": "AQAB"])
                set["keys"] = .array(keys)
            }
        } _: { provider async throws in
            let answer = try await provider.tool.run(["jwks", "--issuer", provider.issuer, "--json"]).json()
            #expect(answer.names == ["ok", "issuer", "jwksURI", "keys", "refused"])
            let keys = try #require(answer["keys"]?.objects)
            #expect(keys.allSatisfy { $0["crv"] == "P-256" && $0["size"] == .null && $0["alg"] == "ES256" })
            #expect(keys.allSatisfy { $0["marks"] == ["there twice", "kid is not its own"] })
            let refused = try #require(answer["refused"]?.objects)
            #expect(refused.compactMap { $0["kid"]?.string } == ["shared", "weak"])
            #expect(refused.compactMap { $0["reason"]?.string } == ["symmetric", "weak"])
            let table = try await provider.tool.run(["jwks", "--issuer", provider.issuer])
            #expect(table.status == 0 && table.output.contains("shared: a shared secret, which is now public"))
            #expect(table.output.contains("P-256") && table.output.contains("there twice"))
        }
    }

    private static func claims(_ change: JSONObject = [:]) -> JSONObject {
        let now = Int(Date.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": "https://id.example.com", "sub": "alice", "aud": "api", "iat": .integer(now),
            "exp": .integer(now + 60),
        ]
        for member in change.members { claims[member.name] = member.value }
        return claims
    }

    /// Puts a token and the keys into files.
    private func write(_ token: String, _ key: SigningKey, in folder: TemporaryFolder) throws -> [String] {
        let set: JSONObject = ["keys": [.object(key.publicKey.jsonObject)]]
        return [
            try folder.secretFile("token", token), "--jwks",
            try folder.secretFile("keys", String(decoding: set.encoded(), as: UTF8.self)),
        ]
    }

    @Test("A decoded token is labelled as not verified")
    func decode() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let token = try SigningKey.generate(.es256).sign(claims: ["sub": "\u{1B}[2J"])
        let file = try folder.secretFile("token", token)
        let text = try await CommandLineTool().run(["jwt", "decode", file])
        #expect(text.status == 0 && text.output.hasPrefix("NOT VERIFIED: any sender may have written this.\n"))
        #expect(text.output.contains(#"\u{1B}[2J"#))
        let json = try await CommandLineTool().run(["jwt", "decode", file, "--json"]).json()
        #expect(json["verified"] == false && json["header"]?.object?["alg"] == "ES256")
        #expect(json["claims"] == .object(["sub": "\u{1B}[2J"]))
        let other = try folder.secretFile("other", "a.b")
        #expect(try await CommandLineTool().run(["jwt", "decode", other]).status == 2)
    }

    @Test("A token is verified check by check")
    func verify() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try SigningKey.generate(.es256)
        let arguments = try write(try key.sign(claims: Self.claims(), type: "at+jwt"), key, in: folder)
        let transcript = try await CommandLineTool().run(
            ["jwt", "verify"] + arguments + ["--audience", "api", "--type", "access_token", "--json"]
        )
        #expect(transcript.status == 0)
        let answer = try transcript.json()
        #expect(answer["verified"] == true && answer["claims"]?.object?["sub"] == "alice")
        let checks = try #require(answer["checks"]?.objects)
        #expect(
            checks.compactMap { $0["name"]?.string } == [
                "jwt.form", "jwt.crit", "jwt.alg", "jwt.kid", "jwt.signature", "jwt.typ", "jwt.iss", "jwt.aud",
                "jwt.sub", "jwt.exp", "jwt.nbf", "jwt.iat",
            ]
        )
        #expect(checks.filter { $0["outcome"] == "skipped" }.compactMap { $0["name"]?.string } == ["jwt.iss"])
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var check: String
        var name: String
        var change: JSONObject = [:]
        var type: String? = "JWT"
        /// A header that no key here would write.
        var header: String?
        var more: [String] = []
        var isOfAnotherKey = false
        var isUnsigned = false
        var testDescription: String { name }
    }

    static let broken = [
        Broken(check: "typ", name: "jwt.form", isUnsigned: true),
        Broken(check: "crit", name: "jwt.crit", header: #"{"alg":"ES256","crit":["exp"]}"#),
        Broken(check: "alg", name: "jwt.alg", header: #"{"alg":"none"}"#),
        Broken(check: "alg", name: "jwt.alg", header: #"{"alg":"HS256"}"#),
        Broken(check: "iss", name: "jwt.iss", more: ["--issuer", "https://id.example.com/"]),
        Broken(check: "kid", name: "jwt.kid", isOfAnotherKey: true),
        Broken(check: "typ", name: "jwt.typ", type: "at+jwt", more: ["--type", "id_token"]),
        Broken(check: "typ", name: "jwt.typ", more: ["--type", "access_token"]),
        Broken(check: "aud", name: "jwt.aud", more: ["--audience", "another"]),
        Broken(check: "azp", name: "jwt.azp", change: ["aud": ["api", "b"]], more: ["--type", "id_token"]),
        Broken(
            check: "azp",
            name: "jwt.azp",
            change: ["azp": "b"],
            more: ["--type", "id_token", "--audience", "api"]
        ),
        Broken(check: "sub", name: "jwt.sub", change: ["sub": ""], more: ["--type", "id_token"]),
        Broken(check: "exp", name: "jwt.exp", change: ["exp": 1_000_000_000]),
        Broken(check: "exp", name: "jwt.exp", change: ["exp": "soon"]),
        Broken(check: "nbf", name: "jwt.nbf", change: ["nbf": 4_000_000_000]),
        Broken(check: "iat", name: "jwt.iat", change: ["iat": 4_000_000_000]),
    ]

    @Test(
        "A token that fails a check is rejected with the check's name, and the other checks are listed",
        arguments: broken
    )
    func refused(_ example: Broken) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try SigningKey.generate(.es256)
        let signer = example.isOfAnotherKey ? try SigningKey.generate(.es256) : key
        var signed = try signer.sign(claims: Self.claims(example.change), type: example.type)
        if let header = example.header {
            let rest = signed.drop { $0 != "." }
            signed = Base64URL.encode(Array(header.utf8)) + rest
        }
        let arguments = try write(example.isUnsigned ? String(signed.prefix(20)) : signed, key, in: folder)
        let json = try await CommandLineTool().run(["jwt", "verify"] + arguments + example.more + ["--json"])
        #expect(try json.failure() == FailureWords(7, "identity", "mismatch", check: example.check))
        let checks = try #require(try json.json()["checks"]?.objects)
        #expect(checks.filter { $0["outcome"] == "failed" }.compactMap { $0["name"]?.string } == [example.name])
        let text = try await CommandLineTool().run(["jwt", "verify"] + arguments + example.more)
        #expect(text.status == 7 && text.output.hasPrefix("NOT VALID\n"))
        #expect(text.output.contains("  failed  \(example.name) "))
    }

    @Test("A Keycloak access token is verified by its profile, and an ID token is rejected by its mark")
    func profile() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try SigningKey.generate(.es256)
        func verify(_ kind: JSONValue, _ more: [String]) async throws -> CommandLineTool.Transcript {
            let token = try key.sign(claims: Self.claims(["typ": kind, "azp": "app", "jti": "token-1"]), type: "JWT")
            let arguments = try write(token, key, in: folder)
            return try await CommandLineTool().run(
                ["jwt", "verify"] + arguments + ["--type", "access_token", "--json"] + more
            )
        }
        func failed(_ transcript: CommandLineTool.Transcript) throws -> [JSONObject] {
            try #require(try transcript.json()["checks"]?.objects).filter { $0["outcome"] == "failed" }
        }
        #expect(try await verify("Bearer", ["--tokens", "keycloak"]).status == 0)
        let identity = try await verify("ID", ["--tokens", "keycloak"])
        #expect(identity.status == 7)
        #expect(try failed(identity).compactMap { $0["name"]?.string } == ["jwt.mark"])
        let strict = try failed(try await verify("Bearer", []))
        #expect(strict.compactMap { $0["name"]?.string } == ["jwt.typ"])
        #expect(strict.first?["expected"] == "at+jwt; the token fits --tokens keycloak")
        let strange = try failed(try await verify("ID", []))
        #expect(strange.first?["expected"] == "at+jwt")
    }

    @Test(
        "An invalid profile is refused before a token is read",
        arguments: [
            ["--tokens", "keycloak"], ["--type", "access_token", "--tokens", "keycloack"],
            ["--type", "access_token", "--tokens", "entra"],
        ]
    )
    func wrongProfile(_ arguments: [String]) async throws {
        let transcript = try await CommandLineTool().run(["jwt", "verify", "--jwks", "keys"] + arguments)
        #expect(transcript.status == 2)
    }

    @Test("A changed token fails with the signature check")
    func forged() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try SigningKey.generate(.es256)
        let parts = try key.sign(claims: Self.claims()).split(separator: ".")
        let other = try key.sign(claims: Self.claims(["sub": "mallory"])).split(separator: ".")
        let arguments = try write("\(parts[0]).\(other[1]).\(parts[2])", key, in: folder)
        let transcript = try await CommandLineTool().run(["jwt", "verify"] + arguments + ["--json"])
        #expect(try transcript.failure() == FailureWords(7, "identity", "mismatch", check: "signature"))
    }

    @Test("A session's token is verified with the issuer's published keys")
    func issued() async throws {
        try await TestProvider.running { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let token = try await provider.tool.run(["token"], printing: .onPurpose).output
            let file = try provider.folder.secretFile("token", String(token.dropLast()))
            let verify = ["jwt", "verify", file, "--type", "access_token", "--json", "--issuer"]
            #expect(try await provider.tool.run(verify + [provider.issuer]).status == 0)
        }
    }
}
