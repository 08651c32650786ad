import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
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

    @Test("A missing second metadata document is requested once, in this process and the next")
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

    @Test("A sign-in without openid reads RFC 8414 metadata first, and OpenID metadata if it is missing")
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

    private static let page = ProviderResponse(
        status: .ok,
        fields: [.contentType: "text/html"],
        content: .bytes(Array("<!DOCTYPE html><title>App</title>".utf8))
    )

    /// A server that answers something else in place of some documents.
    private static func answering(_ responses: [String: ProviderResponse]) -> Scenario {
        Scenario(name: "other answers") {
            $0.response = { request, response in
                if let other = responses[request.path] { response = other }
            }
        }
    }

    @Test(
        "A plain OAuth server is found, whatever its OpenID metadata URL responds",
        arguments: [
            ProviderResponse(status: .forbidden), ProviderResponse(status: .gone), page,
            ProviderResponse(status: .found, fields: [.location: "https://id.example.test/login"]),
            ProviderResponse(status: .ok, content: .bytes([UInt8](repeating: 0x20, count: 300_000))),
        ]
    )
    func noOpenIDDocument(_ response: ProviderResponse) async throws {
        let world = try World(scenario: Self.answering([Self.openID: response]))
        _ = try await world.client().signIn()
        #expect(documents(world) == [1, 1])
    }

    @Test("An OpenID document of another issuer ends the discovery")
    func otherIssuer() async throws {
        let other: JSONObject = ["issuer": "https://other.example.test"]
        let response = ProviderResponse(
            status: .ok,
            fields: [.contentType: "application/json"],
            content: .bytes(other.encoded())
        )
        let world = try World(scenario: Self.answering([Self.openID: response]))
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(error == SignInError(.discovery, .mismatch(.metadataIssuer)) && documents(world) == [1, 0])
    }

    @Test(
        "The more specific error of two failed metadata documents is thrown",
        arguments: [
            (.init(status: .notFound), .init(status: .forbidden), .server(status: 403)),
            (.init(status: .forbidden), .init(status: .notFound), .server(status: 403)),
            (page, .init(status: .notFound), .malformed("the media type is not application/json")),
            (.init(status: .forbidden), page, .malformed("the media type is not application/json")),
            (page, .init(status: .serviceUnavailable), .server(status: 503)),
        ] as [(ProviderResponse, ProviderResponse, SignInError.Reason)]
    )
    func noDocument(
        openID: ProviderResponse,
        oauth: ProviderResponse,
        reason: SignInError.Reason
    ) async throws {
        let world = try World(scenario: Self.answering([Self.openID: openID, Self.oauth: oauth]))
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(error == SignInError(.discovery, reason) && documents(world) == [1, 1])
    }

    @Test("A plain OAuth server's document is read again with one request, in this process and the next")
    func rereading() async throws {
        let world = try World(scenario: Self.without(Self.openID, status: .forbidden))
        let client = try world.client()
        _ = try await client.signIn()
        for count in 2...3 {
            world.clock.advance(by: .seconds(3601))
            _ = try await client.signIn()
            #expect(documents(world) == [1, count])
        }
        let next = try World(scenario: Self.without(Self.openID, status: .forbidden))
        _ = try await next.client().signIn()
        next.clock.advance(by: .seconds(3601))
        _ = try await next.client().signIn()
        #expect(documents(next) == [1, 2])
    }

    @Test("A call without a form reads again the document that a sign-in without openid read")
    func rereadingWithoutForm() async throws {
        let world = try World()
        let session = try await world.client().signIn(AuthorizationRequest(scopes: [.profile, .offlineAccess]))
        world.clock.advance(by: .seconds(3601))
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == nil && documents(world) == [0, 2])
    }

    @Test("A missing document that takes the other one's place is found, and is read first from then on")
    func moved() async throws {
        let missing = MissingPath(Self.openID)
        let scenario = Scenario(name: "a document that moves") {
            $0.response = { request, response in
                if request.path == missing.path { response = ProviderResponse(status: .notFound) }
            }
        }
        let world = try World(scenario: scenario)
        let client = try world.client()
        _ = try await client.signIn()
        missing.path = Self.oauth
        world.clock.advance(by: .seconds(3601))
        _ = try await client.signIn()
        #expect(documents(world) == [2, 2])
        world.clock.advance(by: .seconds(3601))
        _ = try await client.signIn()
        #expect(documents(world) == [3, 2])
    }

    /// The path of the document that a server does not have at the moment.
    private final class MissingPath: Sendable {
        private let state: Lock<String>
        init(_ path: String) { state = Lock(path) }
        var path: String {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
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
