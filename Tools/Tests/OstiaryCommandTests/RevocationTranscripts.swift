import Foundation
import HTTPTypes
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryCommand

@Suite("Revocations that failed", .fewAtOnce)
struct RevocationTranscripts {
    /// An endpoint that can be out of order, and counts what it has done.
    private final class Endpoint: Sendable {
        private let state = Mutex((isDown: true, revoked: 0))
        var revoked: Int { state.withLock { $0.revoked } }
        func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
        func answer(_ response: inout ProviderResponse) {
            let isDown = state.withLock { state in
                if !state.isDown { state.revoked += 1 }
                return state.isDown
            }
            if isDown { response = ProviderResponse(status: .serviceUnavailable) }
        }
    }

    private func running(_ body: (TestProvider, Endpoint) async throws -> Void) async throws {
        let endpoint = Endpoint()
        try await TestProvider.running({ scenario in
            scenario.response = { request, response in
                if request.path == "/revoke" { endpoint.answer(&response) }
            }
        }) { try await body($0, endpoint) }
    }

    @Test("The next login retries a failed revocation, which the logout announced")
    func nextLogin() async throws {
        try await running { provider, endpoint in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let logout = try await provider.tool.run(["logout"])
            #expect(logout.status == 0 && logout.output.contains("it will be tried again by the next login"))
            endpoint.setDown(false)
            let login = try await provider.tool.run(try provider.login("--json"))
            // The sign-in tries by itself, too, where this one is still under way.
            #expect(login.status == 0 && endpoint.revoked >= 1)
            #expect(try login.json()["revocationPending"] == nil)
        }
    }

    @Test("A login reports a revocation that failed again, and the next logout retries it")
    func nextLogout() async throws {
        try await running { provider, endpoint in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let first = try await provider.tool.run(["logout", "--json"])
            #expect(try first.json()["revocation"] == "failed" && first.json()["revocationPending"] == true)
            let login = try await provider.tool.run(try provider.login())
            #expect(login.status == 0 && login.output.contains("It will be tried again by the next login."))
            endpoint.setDown(false)
            let logout = try await provider.tool.run(["logout", "--json"])
            #expect(endpoint.revoked == 2)
            #expect(try logout.json()["revocation"] == "revoked" && logout.json()["revocationPending"] == nil)
        }
    }

    @Test("A failed revocation is reported in the logout's JSON with stage and reason")
    func failureInJSON() async throws {
        try await running { provider, _ in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let logout = try await provider.tool.run(["logout", "--json"]).json()
            let error = try #require(logout["revocationError"]?.object)
            #expect(logout["revocation"] == "failed" && error["stage"] == "revocation" && error["reason"] == "server")
            #expect(error.names.contains("check") && error["recovery"] == "retry")
        }
    }

    @Test("A logout at an issuer without a revocation endpoint reports no failed revocation")
    func noEndpoint() async throws {
        try await TestProvider.running({ $0.metadata = { $0["revocation_endpoint"] = nil } }) { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let logout = try await provider.tool.run(["logout", "--json"])
            #expect(logout.status == 0)
            let object = try logout.json()
            #expect(object["revocation"] == "notOffered" && object["revocationPending"] == nil)
            #expect(object["revocationError"]?.object?["reason"] == "unsupported")
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let words = try await provider.tool.run(["logout"])
            #expect(words.output.contains("not offered: The server does not offer a revocation_endpoint."))
        }
    }

    @Test("A command does not wait long for the revocation at an issuer that does not respond")
    func silence() async throws {
        for isSilent in [true, false] {
            let place = try await ProviderInProcess()
            let session = try await place.signIn()
            place.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
            #expect(try await session.signOut().willRetryRevocation)
            let client = isSilent ? try place.client(transport: SilentTransport()) : try place.client()
            let patience: Duration = isSilent ? .milliseconds(20) : .seconds(60)
            #expect(await LateRevocations(of: client).areLeft(waiting: patience) == isSilent)
            #expect(place.network.count(path: "/revoke") == (isSilent ? 1 : 2))
        }
    }
}

/// Never answers.
private struct SilentTransport: HTTPTransport {
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        try? await Task.sleep(for: .seconds(3600))
        throw .cancelled
    }
}
