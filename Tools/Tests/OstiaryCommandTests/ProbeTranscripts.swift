import Foundation
import OstiaryJOSE
import Testing

@Suite("ostiary probe", .fewAtOnce)
struct ProbeTranscripts {
    private static let client: String = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Clients/client.py").path

    /// A part of the scenarios, so that the test is quick: each kind of fault once.
    private static let scenarios: [String] = [
        "oidcc-client-test-discovery-issuer-mismatch", "authorization-response-invalid-state",
        "authorization-response-repeated-code", "missing-id-token", "oidcc-client-test-invalid-aud", "missing-exp",
        "oidcc-client-test-idtoken-sig-none", "embedded-jwk", "oidcc-client-test-nonce-invalid",
        "oidcc-client-test-userinfo-invalid-sub", "html-instead-of-json", "unknown-members", "fractional-dates",
        "oidcc-client-test-signing-key-rotation-just-before-signing", "device-access-denied", "iat-is-week-in-past",
    ]

    private func probe(_ options: [String], _ client: [String]) async throws -> CommandLineTool.Transcript {
        let chosen = Self.scenarios.flatMap { ["--scenario", $0] }
        return try await CommandLineTool().run(
            ["probe"] + options + (options.contains("--scenario") ? [] : chosen) + ["--", "python3", Self.client]
                + client,
            limit: .seconds(120)
        )
    }

    @Test("A strict client rejects each fault and accepts every harmless variation")
    func strict() async throws {
        let transcript = try await probe(["--json", "--strict"], ["strict"])
        #expect(transcript.status == 0)
        let object = try transcript.json()
        #expect(object["uses"]?.array == ["sign-in", "user info"])
        let results = try #require(object["results"]?.objects)
        let verdicts = Dictionary(grouping: results, by: { $0["verdict"]?.string ?? "" }).mapValues(\.count)
        #expect(verdicts == ["refused": 12, "tolerated": 4, "not reached": 1])
        #expect(results.first?["scenario"] == "none")
        #expect(results.first?["usedToken"] == true)
    }

    @Test("A naive client accepts the faults, with status 3, a table with sources and JUnit failures")
    func naive() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let transcript = try await probe(["--junit", folder.path("probe.xml")], ["naive"])
        #expect(transcript.status == 3)
        #expect(transcript.error.hasSuffix("ostiary: The client failed 9 scenarios.\n"))
        let accepted = transcript.output.split(separator: "\n").prefix {
            $0.hasPrefix("accepted") || $0.hasPrefix("  ")
        }
        #expect(accepted.count == 10)
        #expect(accepted.first == "accepted: faults that the client must refuse")
        #expect(
            transcript.output.contains("The ID token has no exp. (OpenID Connect Core section 3.1.3.7 (9))\n")
        )
        #expect(transcript.output.contains("lenient: faults that the client accepted and should refuse\n"))
        let xml = try String(contentsOfFile: folder.path("probe.xml"), encoding: .utf8)
        #expect(xml.contains("tests=\"17\" failures=\"9\" skipped=\"1\""))
    }

    @Test("A client that prints the URL, and has no secret, is served as well")
    func printing() async throws {
        let transcript = try await probe(
            ["--client-auth", "none", "--scenario", "missing-exp"],
            ["strict", "--print"]
        )
        #expect(transcript.status == 0)
        #expect(transcript.output.contains("refused: faults that the client refused\n  missing-exp  "))
    }

    @Test("A running app accepts what its page after the redirect shows without an error")
    func app() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let secret = try folder.secretFile("secret", "a-secret-of-the-app-0123456789")
        let (issuerPort, appPort) = (try freePort(), try freePort())
        let tool = CommandLineTool()
        let line = """
            python3 '\(Self.client.replacing("client.py", with: "app.py"))' http://127.0.0.1:\(issuerPort) \(appPort) \
            \(secret) >'\(folder.path("ready"))' & app=$!; while ! grep -q ready '\(folder.path("ready"))'; do :; done; \
            ostiary probe --json --url http://127.0.0.1:\(appPort)/login --port \(issuerPort) \
            --redirect-uri http://127.0.0.1:\(appPort)/callback --client-secret-file \(secret) \
            --scenario missing-exp --scenario authorization-response-invalid-state; status=$?; kill $app; exit $status
            """
        let transcript = try await tool.runInShell(line)
        let results = try #require(try transcript.json()["results"]?.objects)
        #expect(results.map { $0["verdict"]?.string } == ["tolerated", "accepted", "refused"])
        #expect(
            results.map { $0["end"]?.string } == [
                "answered with status 200", "answered with status 200", "answered with status 400",
            ]
        )
        #expect(transcript.status == 3)
    }

    @Test("A client that fails to sign in without a fault ends the probe with the reason")
    func baseline() async throws {
        let transcript = try await CommandLineTool().run(["probe", "--", "sh", "-c", "echo no; exit 4"])
        #expect(transcript.status == 3)
        #expect(
            transcript.error == """
                client: no
                ostiary: The client does not sign in where nothing is wrong (exit status 4). It sent no request: let \
                it take the issuer from PROBE_ISSUER.

                """
        )
    }

    @Test("A client that does not end is stopped at the limit")
    func limit() async throws {
        let transcript = try await CommandLineTool().run(["probe", "--timeout", "1", "--", "/bin/sleep", "50"])
        #expect(transcript.status == 3)
        #expect(transcript.error.contains("(no end in time)"))
    }

    static let mistakes: [([String], String)] = [
        ([], "Give a command after --, such as ostiary probe -- ./my-client, or --url."),
        (["--url", "http://127.0.0.1:3000/login"], "--url needs --port"),
        (["--scenario", "nosuch", "--", "true"], "The scenario nosuch is unknown. List them: ostiary probe --list"),
        (["--scenario", "unavailable", "--", "true"], "The scenario unavailable is not played: the provider refuses"),
        (["--timeout", "0", "--", "true"], "--timeout must be between 1 and 3600 (seconds)."),
        (["--", "/nonexistent/client"], "The command /nonexistent/client cannot be run"),
    ]

    @Test("A mistake in the probe's arguments exits with 2", arguments: mistakes)
    func mistake(_ arguments: [String], _ error: String) async throws {
        let transcript = try await CommandLineTool().run(["probe"] + arguments)
        #expect(transcript.error.contains(error))
        #expect(transcript.status == 2)
    }

    @Test("The list has each scenario with its expectation")
    func list() async throws {
        let transcript = try await CommandLineTool().run(["probe", "--list"])
        #expect(transcript.output.contains("required: The ID token has expired. (sign-in)\n"))
        #expect(transcript.status == 0)
    }
}
