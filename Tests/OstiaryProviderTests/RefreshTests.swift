import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Refreshing")
struct RefreshTests {
    @Test("A refresh returns new tokens, and the new refresh token works")
    func rotation() async throws {
        let world = try World()
        let first = try await world.tokens()
        let second = try Tokens(await world.refresh(try #require(first.refresh)))
        #expect(second.access != first.access)
        #expect(second.refresh != first.refresh)
        #expect(await world.userInfo(second.access).status == .ok)
        #expect(await world.refresh(try #require(second.refresh)).status == .ok)
    }

    @Test("A reused refresh token revokes everything of its sign-in")
    func reuse() async throws {
        let world = try World()
        let first = try await world.tokens()
        let refresh = try #require(first.refresh)
        let second = try Tokens(await world.refresh(refresh))
        #expect(await world.refresh(refresh).error == "invalid_grant")
        #expect(await world.refresh(try #require(second.refresh)).error == "invalid_grant")
        #expect(await world.userInfo(second.access).status == .unauthorized)
        #expect(await world.userInfo(first.access).status == .unauthorized)
    }

    @Test("Reuse of a refresh token in one sign-in keeps the others")
    func otherFamily() async throws {
        let world = try World()
        let (first, other) = (try await world.tokens(), try await world.tokens())
        let refresh = try #require(first.refresh)
        _ = await world.refresh(refresh)
        _ = await world.refresh(refresh)
        #expect(await world.refresh(try #require(other.refresh)).status == .ok)
    }

    @Test("A refresh can request fewer scopes, and a later one all again")
    func narrowerScope() async throws {
        let world = try World()
        let first = try await world.tokens()
        let narrow = try Tokens(await world.refresh(try #require(first.refresh)) { $0[.scope] = "openid" })
        #expect(narrow.response["scope"] == "openid")
        #expect(await world.userInfo(narrow.access).json?["name"] == nil)
        let wide = try Tokens(await world.refresh(try #require(narrow.refresh)))
        #expect(wide.response["scope"] == "openid profile offline_access")
    }

    @Test(
        "A refresh for more scopes is rejected, and the refresh token stays valid",
        arguments: ["openid email", "unheard_of"]
    )
    func widerScope(scope: String) async throws {
        let world = try World()
        let refresh = try #require(try await world.tokens().refresh)
        #expect(await world.refresh(refresh) { $0[.scope] = scope }.error == "invalid_scope")
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("A different client cannot use a refresh token, and does not use it up")
    func otherClient() async throws {
        let world = try World()
        let refresh = try #require(try await world.tokens().refresh)
        #expect(await world.refresh(refresh) { $0[.clientID] = "stranger" }.error == "invalid_grant")
        #expect(await world.refresh(refresh).status == .ok)
    }

    @Test("An access token or an unknown value is rejected as a refresh token")
    func unknown() async throws {
        let world = try World()
        #expect(await world.refresh("unknown").error == "invalid_grant")
        #expect(await world.refresh(try await world.tokens().access).error == "invalid_grant")
    }

    @Test("Refresh tokens expire thirty days after the sign-in, however often rotated")
    func lifetime() async throws {
        let world = try World()
        var refresh = try #require(try await world.tokens().refresh)
        world.clock.advance(by: .seconds(29 * 86_400))
        refresh = try #require(try Tokens(await world.refresh(refresh)).refresh)
        world.clock.advance(by: .seconds(86_401))
        #expect(await world.refresh(refresh).error == "invalid_grant")
    }

    @Test("A refreshed ID token has the same claims of the user, and no nonce")
    func idToken() async throws {
        let world = try World()
        let first = try await world.tokens()
        world.clock.advance(by: .seconds(100))
        let second = try Tokens(await world.refresh(try #require(first.refresh)))
        let old = try await world.verifiedClaims(try #require(first.id))
        let new = try await world.verifiedClaims(try #require(second.id))
        for name in ["iss", "sub", "aud", "auth_time", "sid", "acr"] { #expect(new[name] == old[name]) }
        #expect(new["iat"]?.integer == (old["iat"]?.integer ?? 0) + 100)
        #expect(old["nonce"] == "the-nonce")
        #expect(new["nonce"] == nil)
    }

    @Test("A refresh for a removed user is rejected")
    func removedUser() async throws {
        let storage = MemoryProviderStorage()
        let refresh = try #require(try await World(storage: storage).tokens().refresh)
        let later = try World(storage: storage) { $0.users.removeAll { $0.name == "alice" } }
        #expect(await later.refresh(refresh).error == "invalid_grant")
    }

    @Test("A refresh without openid returns no ID token")
    func noIDToken() async throws {
        let world = try World()
        let refresh = try #require(try await world.tokens().refresh)
        #expect(try Tokens(await world.refresh(refresh) { $0[.scope] = "profile" }).id == nil)
    }
}
