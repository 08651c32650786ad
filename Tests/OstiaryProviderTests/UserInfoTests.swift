import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("User info")
struct UserInfoTests {
    @Test("Each scope opens its claims and no others")
    func claims() async throws {
        let world = try World()
        let profile = await world.userInfo(try await world.tokens().access).json
        #expect(profile?.names == ["sub", "name", "preferred_username"])
        let email = try await world.tokens(.authorization { $0[.scope] = "openid email" })
        #expect(await world.userInfo(email.access).json?.names == ["sub", "email", "email_verified"])
    }

    @Test("It may be asked for with POST")
    func post() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let request = ProviderRequest(method: .post, path: "/userinfo", fields: [.authorization: "Bearer \(token)"])
        #expect(await world.provider.respond(to: request).status == .ok)
    }

    @Test(
        "Without a token there is a challenge and no error",
        arguments: [[:], [.authorization: "Basic YTpi"]] as [HTTPFields]
    )
    func noToken(fields: HTTPFields) async throws {
        let response = await (try World()).get("/userinfo", fields: fields)
        #expect(response.status == .unauthorized)
        let challenges = AuthenticateChallenge.list(in: response.fields)
        #expect(challenges.map(\.error) == [nil, nil])
        #expect(response.fields[.wwwAuthenticate]?.hasPrefix("Bearer realm=\"ostiary\", DPoP ") == true)
    }

    @Test("A wrong, old or revoked token is an invalid one")
    func invalidToken() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let refresh = try #require(try await world.tokens().refresh)
        for wrong in ["wrong", token + "a", refresh] {
            let response = await world.userInfo(wrong)
            #expect(response.status == .unauthorized)
            #expect(AuthenticateChallenge.list(in: response.fields).first?.error?.code == .invalidToken)
        }
        world.clock.advance(by: 900)
        #expect(await world.userInfo(token).status == .unauthorized)
    }

    @Test("A token is good for as long as it says")
    func lifetime() async throws {
        let world = try World { $0.lifetimes.accessToken = 30 }
        let tokens = try await world.tokens()
        #expect(tokens.response["expires_in"] == 30)
        world.clock.advance(by: 29)
        #expect(await world.userInfo(tokens.access).status == .ok)
        world.clock.advance(by: 1)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test("Two Authorization fields are refused")
    func twoFields() async throws {
        let world = try World()
        var fields: HTTPFields = [.authorization: "Bearer \(try await world.tokens().access)"]
        fields.append(HTTPField(name: .authorization, value: "Bearer other"))
        #expect(await world.get("/userinfo", fields: fields).status == .badRequest)
    }

    @Test("An ID token opens nothing")
    func idToken() async throws {
        let world = try World()
        let token = try #require(try await world.tokens().id)
        #expect(await world.userInfo(token).status == .unauthorized)
    }

    @Test("A token in the URL or in a form is refused, even when one is in the field too")
    func tokenElsewhere() async throws {
        let world = try World()
        let token = try await world.tokens().access
        let field: HTTPFields = [.authorization: "Bearer \(token)"]
        let query = await world.get("/userinfo", query: "access_token=\(token)", fields: field)
        let form = await world.post("/userinfo", Parameters(["access_token": token]), fields: field)
        #expect(query.status == .badRequest)
        #expect(form.status == .badRequest)
    }

    @Test("A token without openid is not enough, and the answer names what is")
    func scope() async throws {
        let world = try World()
        let token = try await world.tokens(.authorization { $0[.scope] = "profile" }).access
        let response = await world.userInfo(token)
        #expect(response.status == .forbidden)
        let challenge = AuthenticateChallenge.list(in: response.fields).first
        #expect(challenge?.error?.code == .insufficientScope)
        #expect(challenge?.parameters["scope"] == "openid")
    }

    @Test("Somebody who was removed has no user info")
    func removedUser() async throws {
        let storage = MemoryProviderStorage()
        let token = try await World(storage: storage).tokens().access
        let later = try World(storage: storage) { $0.users.removeAll { $0.name == "alice" } }
        #expect(await later.userInfo(token).status == .unauthorized)
    }
}
