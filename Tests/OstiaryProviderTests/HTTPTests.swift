import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("HTTP")
struct HTTPTests {
    @Test("A request to an unknown path gets 404")
    func unknownPath() async throws {
        #expect(await (try World()).get("/nowhere").status == .notFound)
        #expect(await (try World(issuer: Fixtures.issuer + "/tenant")).get("/jwks").status == .notFound)
    }

    @Test(
        "A request with another method gets 405 with the allowed ones",
        arguments: [
            ("/token", HTTPRequest.Method.get, "POST"), ("/login", .get, "POST"), ("/revoke", .get, "POST"),
            ("/jwks", .post, "GET, HEAD"), ("/authorize", .put, "GET, POST"), ("/authorize", .head, "GET, POST"),
            ("/sign-out", .get, "POST"),
        ]
    )
    func methods(path: String, method: HTTPRequest.Method, allowed: String) async throws {
        let response = await (try World()).provider.respond(to: ProviderRequest(method: method, path: path))
        #expect(response.status == .methodNotAllowed)
        #expect(response.fields[.allow] == allowed)
    }

    @Test("HEAD gets the response of GET without a body")
    func head() async throws {
        let world = try World()
        let response = await world.provider.respond(
            to: ProviderRequest(method: .head, path: "/.well-known/openid-configuration")
        )
        #expect(response.status == .ok)
        #expect(response.fields[.contentType] == "application/json")
        #expect(world.provider.body(of: response).isEmpty)
    }

    @Test("A body that is too large is rejected unread")
    func largeBody() async throws {
        let response = await (try World()).post("/token", Parameters(["filler": String(repeating: "a", count: 65_536)]))
        #expect(response.status == .contentTooLarge)
        #expect(response.error == "invalid_request")
    }

    @Test("A query that is too long is rejected unread")
    func longQuery() async throws {
        let response = await (try World()).get("/authorize", query: String(repeating: "a", count: 16_385))
        #expect(response.status == .uriTooLong)
        #expect(response.errorSentence != nil)
    }

    @Test("A page's header fields forbid frames, scripts, caching and a referrer")
    func pageFields() async throws {
        let fields = await (try World()).browser().authorize().fields
        #expect(fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        #expect(fields[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        #expect(fields[.contentSecurityPolicy]?.contains("script") == false)
        #expect(fields[.cacheControl] == "no-store")
        #expect(fields[.xContentTypeOptions] == "nosniff")
        #expect(fields[try #require(HTTPField.Name("Referrer-Policy"))] == "no-referrer")
        #expect(fields[try #require(HTTPField.Name("X-Frame-Options"))] == "DENY")
    }

    @Test("A response with a code or a token has Cache-Control no-store")
    func noStore() async throws {
        let world = try World()
        let redirect = try await world.browser().signIn()
        #expect(redirect.fields[.cacheControl] == "no-store")
        let code = try #require(redirect.redirect?.parameters[.code])
        let tokens = await world.post("/token", .codeGrant(code))
        #expect(tokens.fields[.cacheControl] == "no-store")
        let access = try #require(tokens.json?["access_token"]?.string)
        #expect(await world.userInfo(access).fields[.cacheControl] == "no-store")
        #expect(await world.post("/token", .codeGrant("wrong")).fields[.cacheControl] == "no-store")
    }

    @Test("A storage failure is reported as server_error without its cause")
    func storageFailure() async throws {
        let world = try World(storage: BrokenStorage())
        let response = await world.post("/token", .codeGrant("any"))
        #expect(response.status == .internalServerError)
        #expect(response.error == "server_error")
        #expect(await world.browser().authorize().errorSentence == "The provider failed; try again.")
    }
}

/// A storage that cannot be read or written.
private struct BrokenStorage: ProviderStorage {
    private var failure: ProviderStorageFailure { ProviderStorageFailure("anything") }

    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) { throw failure }
    func put(_ records: [ProviderRecord]) async throws(ProviderStorageFailure) {
        throw failure
    }
    func add(_ record: ProviderRecord) async throws(ProviderStorageFailure) -> Bool { throw failure }
    func replace(
        _ former: ProviderRecord,
        with record: ProviderRecord
    ) async throws(ProviderStorageFailure) -> Bool { throw failure }
    func record(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord? {
        throw failure
    }
    func records(_ kind: ProviderRecord.Kind) async throws(ProviderStorageFailure) -> [ProviderRecord] { throw failure }
    func use(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> ProviderRecord.Use {
        throw failure
    }
    func wasUsed(_ kind: ProviderRecord.Kind, _ key: String) async throws(ProviderStorageFailure) -> Bool {
        throw failure
    }
    func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure) { throw failure }
    func contents() async throws(ProviderStorageFailure) -> [ProviderRecord.Stored] { throw failure }
    func replaceAll(with records: [ProviderRecord.Stored]) async throws(ProviderStorageFailure) { throw failure }
}
