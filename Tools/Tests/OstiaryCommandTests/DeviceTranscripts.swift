import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Device", .fewAtOnce, .serialized)
struct DeviceTranscripts {
    private func device(_ provider: TestProvider, _ more: String...) -> [String] {
        ["device", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID] + more
    }

    @Test("A user signs in on another device, and the session is stored")
    func signIn() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run(device(provider, "--json")) { line in
                if line.hasPrefix(#"{"user_code""#) { try await approve(line, provider) }
                return .none
            }
            #expect(transcript.status == 0)
            let lines = transcript.output.split(separator: "\n")
            try #require(lines.count == 2)
            let shown = try JSONObject(parsing: Array(lines[0].utf8))
            #expect(shown.names == ["user_code", "verification_uri", "verification_uri_complete", "expires_in"])
            #expect(transcript.error.contains("  page  \(provider.issuer)/device\n"))
            #expect(transcript.error.contains("  code  \(shown["user_code"]?.string ?? "none")\n"))
            // No terminal displays the notes of this run.
            #expect(!transcript.error.contains("▀"))
            let answer = try JSONObject(parsing: Array(lines[1].utf8))
            #expect(
                answer.names == [
                    "ok", "issuer", "claims", "scope", "tokenType", "expiresAt", "refreshable", "notRenewable",
                    "endsAt",
                ]
            )
            #expect(answer["claims"]?.object?["sub"] == "user-alice")
            #expect(try await provider.tool.run(["refresh"]).status == 0)
            #expect(try await provider.tool.run(["userinfo"]).status == 0)
        }
    }

    @Test("A user who denies the device ends the command, and nothing is stored")
    func denied() async throws {
        try await TestProvider.running {
            $0.devicePoll = { _ in .denied }
        } _: { provider async throws in
            let transcript = try await provider.tool.run(device(provider))
            #expect(transcript.status == 5 && transcript.output.isEmpty)
            #expect(transcript.error.contains("ostiary: The server refused with access_denied"))
            #expect(try await provider.tool.run(["token"]).status == 6)
        }
    }

    @Test("A device code without an answer expires, and --timeout ends the wait earlier")
    func expired() async throws {
        try await TestProvider.running {
            $0.devicePoll = { $0 == 1 ? .expired : nil }
        } _: { provider async throws in
            #expect(try await provider.tool.run(device(provider)).status == 9)
            let transcript = try await provider.tool.run(device(provider, "--timeout", "1"))
            #expect(transcript.status == 9)
        }
    }

    @Test("A server without a device endpoint is reported as unsupported")
    func unsupported() async throws {
        try await TestProvider.running {
            $0.metadata = { $0["device_authorization_endpoint"] = nil }
        } _: { provider async throws in
            let transcript = try await provider.tool.run(device(provider, "--json"))
            #expect(try transcript.failure() == FailureWords(3, "device", "unsupported"))
        }
    }

    @Test("An interruption ends the waiting")
    func interrupted() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run(device(provider)) { line in
                line.hasPrefix("  code") ? .interrupt : .none
            }
            #expect(transcript.status == 5)
        }
    }

    /// Opens the page, signs in and allows it.
    private func approve(_ line: String, _ provider: TestProvider) async throws {
        let shown = try JSONObject(parsing: Array(line.utf8))
        let page = try #require(shown["verification_uri_complete"]?.string.flatMap(URL.init(string:)))
        let agent = HTTPUserAgent(
            transport: AsyncHTTPClientTransport(),
            credentials: .init(name: DevelopmentProvider.userName, password: Secret(TestProvider.password))
        )
        let attempt = try await agent.attempt(awaiting: try RedirectURI("http://127.0.0.1/nowhere"))
        // The last page leads nowhere: the user puts the telephone away.
        _ = try? await attempt.open(page, accepting: .any)
    }
}
