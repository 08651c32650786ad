import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Pages of other origins")
struct CrossOriginTests {
    private static let page = "http://127.0.0.1:5173"

    private func preflight(_ world: World, _ path: String, from origin: String) async -> ProviderResponse {
        var request = ProviderRequest(method: .options, path: path)
        request.fields[.origin] = origin
        request.fields[HTTPField.Name("Access-Control-Request-Method") ?? .origin] = "POST"
        return await world.provider.respond(to: request)
    }

    @Test(
        "A page at a public client's origin may send requests to the endpoints that it needs",
        arguments: ["/token", "/userinfo", "/revoke", "/par", "/device_authorization"]
    )
    func allowed(path: String) async throws {
        let world = try World()
        let answer = await preflight(world, path, from: Self.page)
        #expect(answer.status == .noContent)
        #expect(answer.fields[.accessControlAllowOrigin] == Self.page && answer.fields[.vary] == "Origin")
        #expect(answer.fields[.accessControlAllowHeaders] == "Authorization, Content-Type, DPoP")
        #expect(answer.fields[.accessControlAllowMethods]?.contains("POST") == true)
        #expect(answer.fields[.accessControlAllowCredentials] == nil)
    }

    @Test("A page reads the response and an error, with the nonce for its next proof")
    func response() async throws {
        let world = try World { $0.dpop.requiresNonce = true }
        let code = try await world.code()
        for code in [code, "unknown"] {
            let response = await world.post("/token", .codeGrant(code), fields: [.origin: Self.page])
            #expect(response.fields[.accessControlAllowOrigin] == Self.page)
            #expect(response.fields[.accessControlExposeHeaders] == "DPoP-Nonce, WWW-Authenticate")
        }
        #expect(await world.post("/token", .codeGrant("unknown")).fields[.accessControlAllowOrigin] == nil)
    }

    @Test(
        "A page of another origin gets no cross-origin response",
        arguments: [
            "https://evil.example", "http://127.0.0.2:5173", "https://127.0.0.1:5173", "http://localhost:5173", "null",
            "http://127.0.0.1:5173/", "https://app.example.com:444", "com.example.app:",
        ]
    )
    func refused(origin: String) async throws {
        let world = try World()
        let answer = await preflight(world, "/token", from: origin)
        #expect(answer.status == .methodNotAllowed && answer.fields[.accessControlAllowOrigin] == nil)
        let response = await world.post("/token", .codeGrant("unknown"), fields: [.origin: origin])
        #expect(response.fields[.accessControlAllowOrigin] == nil)
    }

    @Test(
        "No page may send the provider's own forms or introspection requests across origins",
        arguments: ["/login", "/introspect"]
    )
    func others(path: String) async throws {
        #expect(await preflight(try World(), path, from: Self.page).status == .methodNotAllowed)
    }

    @Test("Manners without cross-origin responses send none")
    func manners() async throws {
        let world = try World { $0.manners = ProviderManners(name: "test") { $0.crossOrigin = .nothing } }
        #expect(await preflight(world, "/token", from: Self.page).status == .methodNotAllowed)
    }

    @Test("With open registration a page of any origin may register, and its origin may then request tokens")
    func registration() async throws {
        let world = try World { $0.registration = .open }
        let origin = "https://inspector.example"
        #expect(await preflight(world, "/register", from: origin).status == .noContent)
        #expect(await preflight(world, "/token", from: origin).status == .methodNotAllowed)
        let registered = await world.send(
            .post,
            "/register",
            ["redirect_uris": ["https://inspector.example/callback"], "token_endpoint_auth_method": "none"]
        )
        #expect(registered.status == .created)
        #expect(await preflight(world, "/token", from: origin).status == .noContent)
        #expect(await preflight(try World(), "/register", from: origin).status == .methodNotAllowed)
    }

    @Test("A page of any origin can read a WebFinger error", arguments: [nil, "resource=acct:nobody@example.com"])
    func webFinger(query: String?) async throws {
        let response = await (try World()).get("/.well-known/webfinger", query: query)
        #expect(response.fields[.accessControlAllowOrigin] == "*")
    }
}

extension HTTPField.Name {
    fileprivate static let accessControlAllowHeaders = Self("Access-Control-Allow-Headers") ?? .origin
}
