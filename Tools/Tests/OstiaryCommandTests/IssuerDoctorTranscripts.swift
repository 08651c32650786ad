import Foundation
import OstiaryJOSE
import OstiaryTesting
import Testing

@Suite("ostiary doctor ISSUER", .fewAtOnce)
struct IssuerDoctorTranscripts {
    @Test("The development provider meets every profile, except FAPI's client keys")
    func provider() async throws {
        try await TestProvider.running { provider in
            for profile in [[], ["--against", "oauth2.1", "--against", "rfc9700", "--against", "native"]] {
                let transcript = try await provider.tool.run(["doctor", provider.issuer] + profile)
                #expect(transcript.status == 0)
                #expect(transcript.error == "")
                #expect(transcript.output.contains("  ok       PKCE with S256 is offered [pkce]\n"))
                #expect(transcript.output.contains("0 errors, "))
            }
            let served = try await provider.tool.run(["doctor", provider.issuer, "--json"])
            let object = try served.json()
            #expect(object["ok"] == true && object["issuer"]?.string == provider.issuer)
            try Self.matchesSchema(object)
            #expect(object["findings"]?.objects?.contains { $0["rule"] == "keys-found" && $0["grade"] == "ok" } == true)
        }
    }

    @Test("With --fail-on note a note fails the command with status 3")
    func failOn() async throws {
        try await TestProvider.running { provider in
            let arguments = ["doctor", provider.issuer, "--fail-on", "note"]
            let transcript = try await provider.tool.run(arguments)
            #expect(transcript.status == 3)
            #expect(transcript.output.contains("  note     The issuer uses http, which is for this machine only."))
            #expect(transcript.error.hasPrefix("ostiary: \(provider.issuer) has "))
            let json = try await provider.tool.run(arguments + ["--json"])
            #expect(try json.failure() == FailureWords(3, nil, "configuration"))
            try Self.matchesSchema(try json.json())
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rules: [String]
        var answer: @Sendable (_ target: String, _ issuer: String) -> LoopbackServer.Answer
    }

    static let examples: [Example] = [
        Example(testDescription: "a redirect", rules: ["metadata-redirect"]) { _, _ in
            .response(302, ["Location: /elsewhere"])
        },
        Example(testDescription: "another issuer", rules: ["issuer-match"]) { target, issuer in
            document(issuer + "/", in: issuer, for: target)
        },
        Example(testDescription: "a private key", rules: ["keys-private", "keys-usable"]) { target, issuer in
            target == "/jwks"
                ? .response(
                    200,
                    ["Content-Type: application/json"],
                    body:
                        #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"s3cr3t-that-must-not-be-shown"}]}"#
                ) : document(issuer, in: issuer, for: target)
        },
    ]

    @Test("A faulty issuer is reported with its rules, and exits with 3", arguments: examples)
    func faulty(_ example: Example) async throws {
        let server = try LoopbackServer { request in
            example.answer(request.target, "http://\(request.values(of: "host").first ?? "")")
        }
        defer { server.stop() }
        let tool = CommandLineTool()
        tool.secrets.add("s3cr3t-that-must-not-be-shown")
        let transcript = try await tool.run(["doctor", "http://127.0.0.1:\(server.port)", "--json"])
        #expect(try transcript.failure() == FailureWords(3, nil, "configuration"))
        let findings = try #require(try transcript.json()["findings"]?.objects)
        let rules = findings.filter { $0["grade"] == "error" }.compactMap { $0["rule"]?.string }
        #expect(Array(Set(rules)).sorted() == example.rules)
    }

    @Test("An issuer that does not respond is a network failure")
    func unreachable() async throws {
        let transcript = try await CommandLineTool().run(["doctor", "http://127.0.0.1:1", "--json"])
        #expect(try transcript.failure() == FailureWords(4, "discovery", "transport"))
    }

    static let mistakes: [([String], String)] = [
        ([], "Give an issuer, such as https://id.example.com, or --project"),
        (["https://id.example.com", "--project", "."], "Give an issuer, such as https://id.example.com, or --project"),
        (["https://id.example.com", "--team", "ABCDE12345"], "--team needs --project"),
        (["--project", ".", "--against", "fapi2"], "--against needs an issuer: ostiary doctor ISSUER --against fapi2"),
        (["https://id.example.com", "--against", "fapi1"], "fapi1"),
    ]

    @Test("A mistake in the issuer doctor's arguments exits with 2 and names the option", arguments: mistakes)
    func mistake(_ arguments: [String], _ error: String) async throws {
        let transcript = try await CommandLineTool().run(["doctor"] + arguments)
        #expect(transcript.error.contains(error))
        #expect(transcript.status == 2)
    }

    @Test("An http issuer elsewhere is refused without a request")
    func insecure() async throws {
        let transcript = try await CommandLineTool().run(["doctor", "http://id.example.invalid"])
        #expect(transcript.error.contains("An issuer is an https URL"))
        #expect(transcript.status == 3)
    }

    private static func document(_ named: String, in base: String, for target: String) -> LoopbackServer.Answer {
        guard target == "/.well-known/openid-configuration" else { return .response(404) }
        let metadata: JSONObject = [
            "issuer": .string(named), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/jwks"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        ]
        return .response(
            200,
            ["Content-Type: application/json"],
            body: String(decoding: metadata.encoded(), as: UTF8.self)
        )
    }

    private static func matchesSchema(_ object: JSONObject, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/issuer-doctor.schema.json")
        let bytes = Array(try Data(contentsOf: schema))
        #expect(
            try JSONSchema(JSONObject(parsing: bytes)).violations(of: .object(object)) == [],
            sourceLocation: sourceLocation
        )
    }
}
