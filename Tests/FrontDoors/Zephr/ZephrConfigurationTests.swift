import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import Testing

@Suite("Zephr: configuration", .timeLimit(.minutes(5)))
struct ZephrConfigurationTests {
    @Test("A default ZephrConfiguration has the documented values", .covers(.zephr, rows: 12, 24, 26))
    func defaults() throws {
        let configuration = try ZephrConfiguration(
            site: try ZephrSite("https://news.example.com/"),
            redirectURI: ZephrWorld.scheme
        )
        #expect(configuration.site.description == "https://news.example.com")
        #expect(configuration.site.prefix == "/blaize")
        #expect(configuration.clientType == "ios")
        #expect(configuration.browserDeadline == .seconds(300))
        #expect(configuration.browserSession == .ephemeral)
    }

    @Test("A ZephrConfiguration carries the option for a shared browser session", .covers(.zephr, rows: 24))
    func shared() throws {
        var configuration = try ZephrConfiguration(site: try ZephrSite(ZephrWorld.base), redirectURI: ZephrWorld.link)
        configuration.browserSession = .shared
        #expect(configuration.browserSession == .shared)
    }

    @Test("The default store of a session outlives the process: it is no MemoryStore", .covers(.zephr, rows: 53))
    func permanentStore() {
        #expect(!(SignInClient.defaultStore is MemoryStore))
    }

    @Test(
        "A provider found by its name has its known hosts and those that are added",
        .covers(.zephr, rows: 12)
    )
    func namedProviders() throws {
        #expect(try ZephrProvider.named("google") == .google)
        #expect(ZephrProvider.known.map(\.name) == ["google", "facebook", "linkedin", "apple", "microsoft", "twitter"])
        let apple = try ZephrProvider.named("apple", addingHosts: ["account.apple.com"])
        #expect(apple.hosts == ["appleid.apple.com", "account.apple.com"])
        #expect(try ZephrProvider.named("kakao", addingHosts: ["kauth.kakao.com"]).hosts == ["kauth.kakao.com"])
        #expect(throws: ZephrError.self) { try ZephrProvider.named("a/b") }
    }

    @Test(
        "A tenant's name gives its site at Zephr or at Blaize, and an invalid name is refused",
        .covers(.zephr, rows: 12)
    )
    func tenants() throws {
        #expect(try ZephrSite(tenant: "daily", site: "main").description == "https://daily-main.cdn.zephr.com")
        #expect(try ZephrSite(blaizeTenant: "daily").description == "https://daily.cdn.blaize.io")
        for name in ["", "a.b", "a/b", "evil.example#", "é", "a@b"] {
            #expect(throws: ZephrError.self) { try ZephrSite(tenant: name, site: "main") }
            #expect(throws: ZephrError.self) { try ZephrSite(tenant: "daily", site: name) }
            #expect(throws: ZephrError.self) { try ZephrSite(blaizeTenant: name) }
        }
    }

    @Test(
        "A base URL without https, or with more than a host, is a configuration error",
        .covers(.zephr, rows: 20),
        arguments: [
            "http://news.example.com", "news.example.com", "", "https://", "https://user@news.example.com",
            "https://news.example.com?x=1", "https://news.example.com#x", "javascript:alert(1)",
        ]
    )
    func baseURLs(_ text: String) {
        let error = #expect(throws: ZephrError.self) { try ZephrSite(text) }
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test(
        "A path prefix that is not one name is a configuration error",
        .covers(.zephr, rows: 12),
        arguments: ["", "blaize", "/", "/a/b", "/a?b", "//a"]
    )
    func prefixes(_ prefix: String) {
        #expect(throws: ZephrError(.configuration("The prefix is a slash and a name, such as /blaize."))) {
            try ZephrSite(ZephrWorld.base, prefix: prefix)
        }
    }

    @Test(
        "An invalid redirect URI of ZephrConfiguration is refused",
        .covers(.zephr, rows: 21, 22),
        arguments: ["my_app:/x", "http://app.example.com/x", "", "javascript:x", "https://app.example.com/x#y"]
    )
    func redirectURIs(_ redirectURI: String) throws {
        let site = try ZephrSite(ZephrWorld.base)
        #expect(throws: ZephrError.self) { try ZephrConfiguration(site: site, redirectURI: redirectURI) }
    }

    @Test("Printing shows no reader and no key", .covers(.zephr, rows: 61, cites: "Z-3"))
    func redaction() async throws {
        let world = try ZephrWorld()
        let registration = try #require(try await world.zephr(as: "grace").signIn(with: .google).registration)
        let account = try await world.session().account()
        var dumped = ""
        dump(registration, to: &dumped)
        dump(account, to: &dumped)
        for text in [
            dumped, "\(registration)\(account)", String(reflecting: registration), String(reflecting: account),
        ] {
            #expect(!text.contains("reader.example"))
            #expect(!text.contains(account.trackingID ?? ""))
        }
    }
}

@Suite("Zephr: an OAuth 2 server for third parties", .timeLimit(.minutes(5)))
struct ZephrThirdPartyTests {
    private func client(_ world: ZephrWorld, store: any SecretStore = MemoryStore()) throws -> SignInClient {
        try ZephrSite(ZephrWorld.base).thirdPartyClient(
            id: ZephrDialect.thirdPartyClientID,
            redirectURI: "com.partner.app:/callback",
            userAgent: world.reader(),
            transport: world.script,
            store: store,
            clock: world.clock.device
        )
    }

    @Test("A third-party client keeps its session in the platform's store by default")
    func permanentStore() throws {
        let client = try ZephrSite(ZephrWorld.base).thirdPartyClient(
            id: ZephrDialect.thirdPartyClientID,
            redirectURI: "com.partner.app:/callback",
            userAgent: try ZephrWorld().reader()
        )
        let store = try #require(Mirror(reflecting: client).descendant("store"))
        #expect(store is any SecretStore && !(store is MemoryStore))
    }

    @Test("A third-party client signs in with a JSON token request", .covers(.zephr, rows: 59))
    func signIn() async throws {
        let world = try ZephrWorld()
        let request = AuthorizationRequest(scopes: [.zephrAccountRead, .zephrProfileRead])
        let session = try await client(world).signIn(request)
        #expect(session.scopes == [.zephrAccountRead, .zephrProfileRead])
        #expect(session.identity == nil)
        let sent = try #require(world.script.requests(to: "/zephr/oauth2/token").first)
        let json = try JSONObject(parsing: sent.body ?? [])
        #expect(sent.allFields[.contentType] == "application/json")
        #expect(json["grant_type"] == "authorization_code")
        #expect(json["client_id"] == .string(ZephrDialect.thirdPartyClientID))
        #expect(json["redirect_uri"] == "com.partner.app:/callback")
    }

    @Test("A third-party client's token is refreshed with a JSON request", .covers(.zephr, rows: 59))
    func refresh() async throws {
        let world = try ZephrWorld()
        let session = try await client(world).signIn(AuthorizationRequest(scopes: [.zephrAccountRead]))
        let first = try await session.accessToken()
        world.clock.advance(by: .seconds(900))
        #expect(try await session.accessToken() != first)
        let json = try JSONObject(parsing: world.script.requests(to: "/zephr/oauth2/token").last?.body ?? [])
        #expect(json["grant_type"] == "refresh_token")
    }

    @Test("A form-encoded token request is rejected", .covers(.zephr, rows: 59))
    func form() async throws {
        let world = try ZephrWorld()
        let request = EndpointRequest(
            url: URL(string: ZephrWorld.base + "/zephr/oauth2/token")!,
            method: .post,
            form: [.grantType: "refresh_token"]
        )
        #expect(try await world.network.send(request).status == .badRequest)
    }

    @Test(
        "A repeated parameter cannot be sent as JSON, and requests to other URLs stay unchanged",
        .covers(.zephr, rows: 59)
    )
    func repeated() async throws {
        let world = try ZephrWorld()
        let endpoint = URL(string: ZephrWorld.base + "/zephr/oauth2/token")!
        let transport = JSONTokenTransport(world.script, tokenEndpoint: endpoint)
        let form: Parameters = [.resource: "a", .resource: "b"]
        await #expect(throws: TransportFailure.invalidRequest) {
            try await transport.send(EndpointRequest(url: endpoint, method: .post, form: form))
        }
        let other = EndpointRequest(url: URL(string: ZephrWorld.base + "/other")!, method: .post, form: form)
        _ = try await transport.send(other)
        #expect(world.script.requests == [other])
    }
}
