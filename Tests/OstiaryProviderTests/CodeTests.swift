import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Trading a code")
struct CodeTests {
    @Test("A code is redeemed once, and a second use revokes its tokens")
    func reuse() async throws {
        let world = try World()
        let code = try await world.code()
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(await world.refresh(try #require(tokens.refresh)).error == "invalid_grant")
    }

    @Test("A second use of a code long after its minute still revokes its tokens")
    func lateReuse() async throws {
        let world = try World()
        let code = try await world.code()
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        world.clock.advance(by: .seconds(3600))
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
        #expect(await world.refresh(try #require(tokens.refresh)).error == "invalid_grant")
    }

    @Test("Concurrent uses of a code get tokens at most once, and they are revoked")
    func race() async throws {
        let world = try World()
        let code = try await world.code()
        let responses = await withTaskGroup(of: ProviderResponse.self) { group in
            for _ in 0..<20 { group.addTask { await world.post("/token", .codeGrant(code)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let tokens = responses.compactMap { $0.json?["access_token"]?.string }
        #expect(tokens.count <= 1)
        for token in tokens { #expect(await world.userInfo(token).status == .unauthorized) }
    }

    @Test("A second use during the redemption revokes the tokens before they are issued")
    func reuseInBetween() async throws {
        let world = try World(storage: InterruptedStorage())
        let code = try await world.code()
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
        for kind in [ProviderRecord.Kind.accessToken, .refreshToken, .grant] {
            #expect(try await world.storage.records(kind).isEmpty)
        }
    }

    @Test("A code expires after a minute")
    func expiry() async throws {
        let world = try World()
        let (first, second) = (try await world.code(), try await world.code())
        world.clock.advance(by: .seconds(59))
        #expect(await world.post("/token", .codeGrant(first)).status == .ok)
        world.clock.advance(by: .seconds(1))
        #expect(await world.post("/token", .codeGrant(second)).error == "invalid_grant")
    }

    @Test(
        "A code is bound to its redirect URI and its proof key",
        arguments: [
            (
                "invalid_grant",
                { @Sendable (form: inout Parameters) in form[.redirectURI] = "http://127.0.0.1:1/callback" }
            ),
            ("invalid_grant", { form in form[.codeVerifier] = String(Fixtures.verifier.reversed()) }),
            ("invalid_grant", { form in form[.codeVerifier] = Fixtures.challenge }),
            ("invalid_grant", { form in form[.code] = "unknown" }),
            ("invalid_request", { form in form[.redirectURI] = nil }),
            ("invalid_request", { form in form[.codeVerifier] = nil }),
            ("invalid_request", { form in form[.codeVerifier] = "short" }),
            ("invalid_request", { form in form[.codeVerifier] = String(repeating: "a", count: 129) }),
            ("invalid_request", { form in form[.codeVerifier] = String(repeating: "+", count: 43) }),
            ("invalid_request", { form in form[.code] = nil }),
        ] as [(String, @Sendable (inout Parameters) -> Void)]
    )
    func binding(error: String, change: @Sendable (inout Parameters) -> Void) async throws {
        let world = try World()
        let code = try await world.code()
        let response = await world.post("/token", .codeGrant(code, change))
        #expect(response.status == .badRequest)
        #expect(response.error == error)
    }

    @Test("A configured code lifetime is limited to a minute")
    func longestLifetime() {
        var lifetimes = ProviderConfiguration.Lifetimes(authorizationCode: .seconds(600))
        #expect(lifetimes.authorizationCode == .seconds(60))
        lifetimes.authorizationCode = .seconds(600)
        #expect(lifetimes.authorizationCode == .seconds(60))
    }

    @Test("A wrong verifier uses the code up")
    func wrongVerifier() async throws {
        let world = try World()
        let code = try await world.code()
        _ = await world.post("/token", .codeGrant(code) { $0[.codeVerifier] = Fixtures.challenge })
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
    }

    @Test("A different client cannot redeem a code, and does not use it up")
    func otherClient() async throws {
        let world = try World()
        let code = try await world.code()
        #expect(await world.post("/token", .codeGrant(code) { $0[.clientID] = "stranger" }).error == "invalid_grant")
        #expect(await world.post("/token", .codeGrant(code)).status == .ok)
    }

    @Test(
        "A token request that repeats a parameter, or without a known grant type, is rejected",
        arguments: [
            ("invalid_request", { @Sendable (form: inout Parameters) in form.append("a", for: .code) }),
            ("invalid_request", { form in form.append("app", for: .clientID) }),
            ("invalid_request", { form in form[.grantType] = nil }),
            ("unsupported_grant_type", { form in form[.grantType] = "password" }),
        ] as [(String, @Sendable (inout Parameters) -> Void)]
    )
    func form(error: String, change: @Sendable (inout Parameters) -> Void) async throws {
        #expect(await (try World()).post("/token", .codeGrant("any", change)).error == error)
    }

    @Test("A token request with a credential in its query is rejected, and any other query is ignored")
    func query() async throws {
        let world = try World()
        let code = try await world.code()
        #expect(await world.post("/token", .codeGrant(code), query: "client_secret=a").error == "invalid_request")
        #expect(await world.post("/token", .codeGrant(code), query: "api-version=1").status == .ok)
    }

    @Test(
        "A token request with another media type than a form is rejected",
        arguments: ["application/json", "text/plain", "application/x-www-form-urlencoded; charset=latin-1"]
    )
    func mediaType(type: String) async throws {
        let response = await (try World()).post("/token", .codeGrant("any"), fields: [.contentType: type])
        #expect(response.error == "invalid_request")
    }

    @Test("A token request with two media types is rejected")
    func twoMediaTypes() async throws {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        fields.append(HTTPField(name: .contentType, value: "text/plain"))
        #expect(await (try World()).post("/token", .codeGrant("any"), fields: fields).error == "invalid_request")
    }

    @Test("A token request may declare the charset UTF-8")
    func charset() async throws {
        let world = try World()
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        let response = await world.post("/token", .codeGrant(try await world.code()), fields: [.contentType: type])
        #expect(response.status == .ok)
    }

    @Test("Without offline_access no refresh token is issued, and without openid no ID token")
    func fewerTokens() async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.scope] = "profile" })
        #expect(tokens.refresh == nil)
        #expect(tokens.id == nil)
    }

    @Test("A client that is not registered for refresh tokens gets none")
    func noRefreshGrant() async throws {
        let world = try World()
        let request = Parameters.webAuthorization {
            $0[.clientID] = "poster"
            $0[.scope] = "openid offline_access"
        }
        let code = try await world.code(request)
        let form = Parameters.codeGrant(code, redirectURI: request[.redirectURI]) {
            $0[.clientID] = "poster"
            $0[.clientSecret] = "posted"
        }
        let tokens = try Tokens(await world.post("/token", form))
        #expect(tokens.refresh == nil)
        #expect(tokens.response["scope"] == "openid")
    }
}

/// A storage in which another process ends each grant just before its access token is put.
private struct InterruptedStorage: StorageOverMemory {
    let memory = MemoryProviderStorage()

    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) {
        if record.kind == .accessToken, let family = record.family { await memory.remove(.family(family)) }
        await memory.put(record)
    }
}
