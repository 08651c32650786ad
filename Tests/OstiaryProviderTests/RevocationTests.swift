import HTTPTypes
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Revocation")
struct RevocationTests {
    private func revoke(_ token: String, in world: World, client: String = "app") async -> ProviderResponse {
        await world.post("/revoke", Parameters([.token: token, .clientID: client]))
    }

    @Test("Revoking a refresh token revokes everything of its sign-in")
    func refreshToken() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        let refresh = try #require(tokens.refresh)
        #expect(await revoke(refresh, in: world).status == .ok)
        #expect(await world.refresh(refresh).error == "invalid_grant")
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test("Revoking an access token keeps the refresh token")
    func accessToken() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        #expect(await revoke(tokens.access, in: world).status == .ok)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(await world.refresh(try #require(tokens.refresh)).status == .ok)
    }

    @Test("A revocation with a wrong token type hint succeeds")
    func hint() async throws {
        let world = try World()
        let refresh = try #require(try await world.tokens().refresh)
        let form = Parameters([.token: refresh, .tokenTypeHint: "access_token", .clientID: "app"])
        #expect(await world.post("/revoke", form).status == .ok)
        #expect(await world.refresh(refresh).error == "invalid_grant")
    }

    @Test("Revoking an unknown token succeeds")
    func unknown() async throws {
        #expect(await revoke("unknown", in: try World()).status == .ok)
    }

    @Test("Revoking another client's token is rejected, and the token is kept")
    func otherClient() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        let refresh = try #require(tokens.refresh)
        #expect(await revoke(refresh, in: world, client: "stranger").error == "invalid_grant")
        #expect(await revoke(tokens.access, in: world, client: "stranger").error == "invalid_grant")
        #expect(await world.userInfo(tokens.access).status == .ok)
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("A revocation without a client or a token is rejected")
    func incomplete() async throws {
        let world = try World()
        #expect(await revoke("any", in: world, client: "nobody").error == "invalid_client")
        #expect(await world.post("/revoke", Parameters([.clientID: "app"])).error == "invalid_request")
    }
}
