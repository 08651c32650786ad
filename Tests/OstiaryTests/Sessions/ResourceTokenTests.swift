import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Access tokens for single resources")
struct ResourceTokenTests {
    private static let api = try! ResourceIndicator("https://api.example.test")
    private static let files = try! ResourceIndicator("https://files.example.test/v1")
    private static let request = AuthorizationRequest(resources: [api, files])

    private func world() throws -> World {
        try World(provider: {
            $0.resources = [
                ProviderResource(identifier: Self.api.description, name: "The API"),
                ProviderResource(identifier: Self.files.description, name: "Files"),
            ]
        })
    }

    private func audience(_ token: Secret) throws -> JSONValue? {
        let parts = token.reveal().split(separator: ".")
        return try JSONObject(parsing: try Base64URL.decode(String(parts[1])))["aud"]
    }

    @Test("Every resource gets its own token, and the sign-in's token stays valid for user info")
    func audiences() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        #expect(try audience(try await session.accessToken(for: Self.api)) == .string(Self.api.description))
        #expect(try audience(try await session.accessToken(for: Self.files)) == .string(Self.files.description))
        _ = try await session.userInfo()
        #expect(world.network.count(path: "/token") == 3)
        // From now on they are read, not fetched.
        _ = try await session.accessToken(for: Self.api)
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 3)
    }

    @Test("A restored session has the tokens of all resources")
    func restored() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        let token = try await session.accessToken(for: Self.api)
        let restored = try #require(try await world.client().restoreSession())
        #expect(try await restored.accessToken(for: Self.api) == token)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("Fifty callers for two resources cause one refresh each, one after the other")
    func concurrent() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await session.accessToken(for: number.isMultiple(of: 2) ? Self.api : Self.files)
                }
            }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 2)
        #expect(world.network.count(path: "/token") == 3)
        #expect(session.end == nil)
    }

    @Test("A resource that was not granted is rejected, and the session is kept")
    func notGranted() async throws {
        let world = try world()
        let session = try await world.client().signIn(AuthorizationRequest(resources: [Self.api]))
        let error = await failure { () throws(SignInError) in _ = try await session.accessToken(for: Self.files) }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidTarget && session.end == nil)
        #expect(error?.endsSession == false)
    }

    @Test("An expired resource token is refreshed alone")
    func renewed() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        let first = try await session.accessToken(for: Self.api)
        world.clock.advance(by: .seconds(890))
        let second = try await session.accessToken(for: Self.api)
        #expect(first != second)
        #expect(world.network.count(path: "/token") == 3)
    }
}
