import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("User info")
struct UserInfoTests {
    @Test("User info returns the claims of each granted scope and no others")
    func claims() async throws {
        let world = try World()
        let profile = await world.userInfo(try await world.tokens().access).json
        #expect(profile?.names == ["sub", "name", "preferred_username"])
        let email = try await world.tokens(.authorization { $0[.scope] = "openid email" })
        #expect(await world.userInfo(email.access).json?.names == ["sub", "email", "email_verified"])
    }

    @Test("User info may be requested with POST")
    func post() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let request = ProviderRequest(method: .post, path: "/userinfo", fields: [.authorization: "Bearer \(token)"])
        #expect(await world.provider.respond(to: request).status == .ok)
    }

    @Test(
        "A user info request without a token gets a challenge without an error",
        arguments: [[:], [.authorization: "Basic YTpi"]] as [HTTPFields]
    )
    func noToken(fields: HTTPFields) async throws {
        let response = await (try World()).get("/userinfo", fields: fields)
        #expect(response.status == .unauthorized)
        let challenges = AuthenticateChallenge.list(in: response.fields)
        #expect(challenges.map(\.error) == [nil, nil])
        #expect(response.fields[.wwwAuthenticate]?.hasPrefix("Bearer realm=\"ostiary\", DPoP ") == true)
    }

    @Test("A wrong, expired or revoked token at user info gets invalid_token")
    func invalidToken() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let refresh = try #require(try await world.tokens().refresh)
        for wrong in ["wrong", token + "a", refresh] {
            let response = await world.userInfo(wrong)
            #expect(response.status == .unauthorized)
            #expect(AuthenticateChallenge.list(in: response.fields).first?.error?.code == .invalidToken)
        }
        world.clock.advance(by: .seconds(900))
        #expect(await world.userInfo(token).status == .unauthorized)
    }

    @Test("An access token is accepted until it expires")
    func lifetime() async throws {
        let world = try World { $0.lifetimes.accessToken = .seconds(30) }
        let tokens = try await world.tokens()
        #expect(tokens.response["expires_in"] == 30)
        world.clock.advance(by: .seconds(29))
        #expect(await world.userInfo(tokens.access).status == .ok)
        world.clock.advance(by: .seconds(1))
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test("A user info request with two Authorization fields is rejected")
    func twoFields() async throws {
        let world = try World()
        var fields: HTTPFields = [.authorization: "Bearer \(try await world.tokens().access)"]
        fields.append(HTTPField(name: .authorization, value: "Bearer other"))
        #expect(await world.get("/userinfo", fields: fields).status == .badRequest)
    }

    @Test("User info rejects an ID token")
    func idToken() async throws {
        let world = try World()
        let token = try #require(try await world.tokens().id)
        #expect(await world.userInfo(token).status == .unauthorized)
    }

    @Test("A user info request with a token in the URL or a form is rejected, even beside the field")
    func tokenElsewhere() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let field: HTTPFields = [.authorization: "Bearer \(token)"]
        let query = await world.get("/userinfo", query: "access_token=\(token)", fields: field)
        let form = await world.post("/userinfo", Parameters(["access_token": token]), fields: field)
        #expect(query.status == .badRequest)
        #expect(form.status == .badRequest)
    }

    @Test("User info rejects a token without openid, and names the scope")
    func scope() async throws {
        let world = try World()
        let token = try await world.tokens(.authorization { $0[.scope] = "profile" }).access
        let response = await world.userInfo(token)
        #expect(response.status == .forbidden)
        let challenge = AuthenticateChallenge.list(in: response.fields).first
        #expect(challenge?.error?.code == .insufficientScope)
        #expect(challenge?.parameters["scope"] == "openid")
    }

    @Test("A removed user has no user info")
    func removedUser() async throws {
        let storage = MemoryProviderStorage()
        let token = try await World(storage: storage).tokens().access
        let later = try World(storage: storage) { $0.users.removeAll { $0.name == "alice" } }
        #expect(await later.userInfo(token).status == .unauthorized)
    }
}
