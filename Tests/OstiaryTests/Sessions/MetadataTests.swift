import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The two metadata documents")
struct MetadataTests {
    private static let openID = "/.well-known/openid-configuration"
    private static let oauth = "/.well-known/oauth-authorization-server"

    /// A server with an endpoint in RFC 8414's document alone.
    private static func split(_ members: String...) -> Scenario {
        Scenario(name: "endpoints in the OAuth document") {
            $0.response = { request, response in
                guard request.path == openID, case .bytes(let bytes) = response.content,
                    var metadata = try? JSONObject(parsing: bytes)
                else { return }
                for member in members { metadata[member] = nil }
                response.content = .bytes(metadata.encoded())
            }
        }
    }

    /// A server that has no document at a path.
    private static func without(_ path: String, status: HTTPResponse.Status = .notFound) -> Scenario {
        Scenario(name: "one document") {
            $0.response = { request, response in
                guard request.path == path else { return }
                response = ProviderResponse(status: status)
            }
        }
    }

    private func documents(_ world: World) -> [Int] {
        [world.network.count(path: Self.openID), world.network.count(path: Self.oauth)]
    }

    @Test("A sign-in, its user info and its refresh read one document, even where an endpoint is missing")
    func unneeded() async throws {
        let world = try World(scenario: Self.split("registration_endpoint", "introspection_endpoint"))
        let session = try await world.client().signIn()
        _ = try await session.userInfo()
        try await session.refresh()
        #expect(documents(world) == [1, 0])
    }

    @Test("A missing endpoint has the second document read once, when a call needs it")
    func needed() async throws {
        let world = try World(scenario: Self.split("revocation_endpoint", "userinfo_endpoint"))
        let client = try world.client()
        let session = try await client.signIn()
        #expect(documents(world) == [1, 0])
        _ = try await session.userInfo()
        _ = try await session.userInfo()
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == nil && documents(world) == [1, 1])
    }

    @Test("A second document that is not there is looked for once, in this process and the next")
    func missing() async throws {
        let scenario = Scenario(name: "no user info endpoint", from: Self.without(Self.oauth)) {
            $0.metadata = { $0["userinfo_endpoint"] = nil }
        }
        let world = try World(scenario: scenario)
        let session = try await world.client().signIn()
        for _ in 0..<2 {
            let error = await failure { () throws(SignInError) in _ = try await session.userInfo() }
            #expect(error == SignInError(.userInfo, .unsupported("a userinfo_endpoint")))
        }
        let next = try #require(try await world.client().restoreSession())
        _ = await failure { () throws(SignInError) in _ = try await next.userInfo() }
        #expect(documents(world) == [1, 1])
    }

    @Test("A sign-in without openid reads RFC 8414's document first, and the other one where there is none")
    func oauthFirst() async throws {
        let request = AuthorizationRequest(scopes: [.profile, .offlineAccess])
        let world = try World()
        let session = try await world.client().signIn(request)
        try await session.refresh()
        #expect(documents(world) == [0, 1] && world.network.count(path: "/jwks") == 0)
        for status in [HTTPResponse.Status.notFound, .forbidden] {
            let other = try World(scenario: Self.without(Self.oauth, status: status))
            _ = try await other.client().signIn(request)
            #expect(documents(other) == [1, 1])
        }
        let busy = try World(scenario: Self.without(Self.oauth, status: .serviceUnavailable))
        let client = try busy.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn(request) }
                == SignInError(.discovery, .server(status: 503))
        )
    }

    @Test("A plain OAuth server's one document is read once")
    func onlyOAuth() async throws {
        let world = try World(scenario: Self.without(Self.openID))
        let session = try await world.client().signIn()
        try await session.signOut(.revoke)
        #expect(documents(world) == [1, 1])
    }

    @Test("A sign-out keeps its refresh token for later, when the document with the revocation endpoint cannot be read")
    func revocationLater() async throws {
        let world = try World(scenario: Self.split("revocation_endpoint"))
        let client = try world.client()
        let session = try await client.signIn()
        world.network.lose(to: Self.oauth, .beforeProcessing, with: .unreachable)
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == SignInError(.discovery, .transport(.unreachable)))
        #expect(report.willRetryRevocation)
        let retry = await client.retryRevocations()
        #expect(retry.finished == 1 && retry.remaining == 0 && world.network.count(path: "/revoke") == 1)
    }
}
