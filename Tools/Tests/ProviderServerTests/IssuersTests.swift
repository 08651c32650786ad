import NIOHTTP1
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Several issuers in one process", .timeLimit(.minutes(2)))
struct IssuersTests {
    private func withProviders(
        _ paths: [String],
        issuer: Issuer? = nil,
        _ body: (RunningProvider, [Issuer]) async throws -> Void
    ) async throws {
        let running = try await ProviderServer.start(issuer: issuer, paths: paths) {
            try await Provider.forPeople(try Fixtures.configuration($0))
        }
        do { try await body(running, running.providers.map(\.configuration.issuer)) } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }

    @Test("Metadata, keys and pages of an issuer are at its own path")
    func paths() async throws {
        try await withProviders(["/a", "/tenants/a", ""]) { running, issuers in
            let origin = "http://127.0.0.1:\(running.port)"
            #expect(issuers.map(\.description) == ["\(origin)/a", "\(origin)/tenants/a", origin])
            #expect(running.issuer == issuers[0] && running.provider === running.providers[0])
            var keys: Set<String> = []
            for (issuer, path) in zip(issuers, ["/a", "/tenants/a", ""]) {
                let places = [
                    "\(issuer)/.well-known/openid-configuration",
                    "\(origin)/.well-known/oauth-authorization-server\(path)",
                ]
                for place in places {
                    let answer = try await RawHTTP.send(.GET, place)
                    #expect(answer.status == 200, "\(place)")
                    #expect(try SignIn.member("issuer", of: answer) == issuer.description)
                }
                keys.insert(try await RawHTTP.send(.GET, "\(issuer)/jwks").text)
                let page = try await RawHTTP.send(.GET, "\(issuer)/authorize")
                #expect(page.text.contains("href=\"\(path)/style.css\""))
                #expect(try await RawHTTP.send(.GET, "\(issuer)/style.css").status == 200)
            }
            #expect(keys.count == 3)
            #expect(try await RawHTTP.send(.GET, "\(origin)/b/jwks").status == 404)
        }
    }

    @Test("A login, a code and a token of one issuer are worth nothing at another")
    func apart() async throws {
        try await withProviders(["/a", "/b"]) { _, issuers in
            var browser = Browser(issuers[0])
            let code = try await SignIn.code(&browser)
            #expect(try await SignIn.redeem(code, at: issuers[1]).status == 400)
            let tokens = try await SignIn.redeem(code, at: issuers[0])
            let refresh = try SignIn.member("refresh_token", of: tokens)
            let access = try SignIn.member("access_token", of: tokens)
            #expect(try await SignIn.refresh(refresh, at: issuers[1]).status == 400)
            let fields: HTTPHeaders = ["Authorization": "Bearer \(access)"]
            let statuses = [
                try await RawHTTP.send(.GET, "\(issuers[0])/userinfo", fields: fields).status,
                try await RawHTTP.send(.GET, "\(issuers[1])/userinfo", fields: fields).status,
            ]
            #expect(statuses == [200, 401])
            // The browser sends its cookies to both: they have one host.
            let silent = SignIn.location(["prompt": "none"])
            let places = [
                try await browser.open(issuers[0].description + silent).fields.first(name: "location") ?? "",
                try await browser.open(issuers[1].description + silent).fields.first(name: "location") ?? "",
            ]
            #expect(places.map { $0.contains("code=") } == [true, false])
            #expect(places[1].contains("error=login_required"))
        }
    }

    @Test("An issuer that is named like a well-known document takes no request for that of another")
    func namedLikeDocuments() async throws {
        try await withProviders(["", "/webfinger", "/openid-configuration"]) { running, issuers in
            let origin = "http://127.0.0.1:\(running.port)"
            let finger = try await RawHTTP.send(
                .GET,
                "\(origin)/.well-known/webfinger?resource=acct:alice@127.0.0.1"
            )
            #expect(finger.status == 200 && finger.text.contains("\"href\":\"\(issuers[0])\""))
            for issuer in issuers {
                let answer = try await RawHTTP.send(.GET, "\(issuer)/.well-known/openid-configuration")
                #expect(try SignIn.member("issuer", of: answer) == issuer.description)
            }
        }
    }

    @Test("The paths are below the issuer that a proxy serves")
    func behindProxy() async throws {
        try await withProviders(["", "/b"], issuer: try Issuer("https://id.example.com/x/")) { running, issuers in
            #expect(issuers.map(\.description) == ["https://id.example.com/x/", "https://id.example.com/x/b"])
            let place = "http://127.0.0.1:\(running.port)/x/b/.well-known/openid-configuration"
            let answer = try await RawHTTP.send(.GET, place, fields: ["host": "id.example.com"])
            #expect(try SignIn.member("issuer", of: answer) == "https://id.example.com/x/b")
        }
    }

    @Test(
        "A path that no issuer can have, or that another has for itself or an endpoint, is refused",
        arguments: [
            ["/a", "/a"], ["", ""], ["/a", "/A"], ["a"], ["/a/"], ["/"], ["/a//b"], ["/.well-known"], ["/../a"],
            ["/a?b"],
            ["", "/token"], ["", "/authorize"], ["", "/register/a"], ["", "/device"], ["", "/admin"], ["", "/health"],
            ["", "/style.css"], ["/a", "/a/token"], ["/a", "/b", "/a/admin/b"],
        ]
    )
    func wrongPath(paths: [String]) async throws {
        await #expect(throws: ProviderServerError.issuerPath(paths[paths.count - 1])) {
            try await ProviderServer.start(paths: paths) {
                try await Provider.forPeople(try Fixtures.configuration($0))
            }
        }
    }
}
