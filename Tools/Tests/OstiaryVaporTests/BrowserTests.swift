import Foundation
import NIOCore
import NIOHTTP1
import Ostiary
import OstiaryServer
import OstiaryTesting
import OstiaryVapor
import Synchronization
import Testing
import Vapor

@Suite("Browser sessions on Vapor", .timeLimit(.minutes(5)))
struct BrowserTests {
    private let world: VaporWorld

    init() throws { world = try VaporWorld() }

    private func serve(_ body: (VaporClient) async throws -> Void) async throws {
        let (web, orders) = (world.web, world.orders)
        try await world.serve(
            { app in
                app.add(web, at: "/web", sender: { $0.remoteAddress?.ipAddress })
                let mine = app.grouped(BrowserSessionMiddleware(web))
                mine.get("me") { request in try request.auth.require(ServerSession.self).subject }
                mine.post("me") { _ in "changed" }
                mine.get("gone") { _ -> String in throw Abort(.gone) }
                mine.get("kept") { _ -> String in throw Abort(.gone, headers: ["cache-control": "no-store"]) }
                mine.grouped(AccessTokenMiddleware(orders)).get("both") { _ in "both" }
                app.grouped(BrowserSessionMiddleware(web, refusing: .redirect)).get("page") { _ in "a page" }
            },
            body
        )
    }

    @Test("A browser signs in, and its cookie brings the session to the route")
    func session() async throws {
        try await serve { client in
            let cookie = try await world.signIn(client)
            let response = try await client.send(.GET, "/me", ["cookie": cookie, "sec-fetch-site": "same-origin"])
            #expect(response.status == .ok && response.text == "alice-subject")
            #expect(response.headers.first(name: "cache-control") == "private, no-cache")
            #expect(response.headers["vary"].contains("Cookie"))
            let own = try await client.send(.GET, "/web/session", ["cookie": cookie, "sec-fetch-site": "same-origin"])
            #expect(own.object["sub"] == "alice-subject")
        }
    }

    @Test(
        "A request without a session gets 401, and a page that a user loads is redirected to the sign-in where the route says so"
    )
    func noSession() async throws {
        try await serve { client in
            let script = try await client.send(.GET, "/me")
            #expect(script.status == .unauthorized && script.object["error"] == "sign_in_required")
            let page = try await client.send(.GET, "/page", ["sec-fetch-mode": "navigate"])
            #expect(page.status == .found)
            #expect(page.headers.first(name: "location") == "https://app.example.com/web/login?return_to=%2Fpage")
            #expect(try await client.send(.GET, "/page", ["sec-fetch-mode": "cors"]).status == .unauthorized)
        }
    }

    @Test(
        "A request that a page of another origin caused gets 403 in spite of its cookie, and one of the own origin passes"
    )
    func crossSiteRequestForgery() async throws {
        try await serve { client in
            let cookie = try await world.signIn(client)
            let forged = try await client.send(
                .POST,
                "/me",
                ["cookie": cookie, "origin": "https://evil.example", "sec-fetch-site": "cross-site"]
            )
            #expect(forged.status == .forbidden && forged.text != "changed")
            #expect(!forged.headers.contains(name: "access-control-allow-origin"))
            let own = try await client.send(.POST, "/me", ["cookie": cookie, "origin": "https://app.example.com"])
            #expect(own.status == .ok && own.text == "changed")
        }
    }

    @Test("A page of a named origin reads responses, errors too, and any other page none")
    func sharing() async throws {
        try await serve { client in
            let cookie = try await world.signIn(client)
            let headers: HTTPHeaders = ["cookie": cookie, "origin": VaporWorld.pages, "sec-fetch-site": "same-site"]
            for (path, status) in [("/me", HTTPResponseStatus.ok), ("/gone", .gone)] {
                let response = try await client.send(.GET, path, headers)
                #expect(response.status == status)
                #expect(response.headers.first(name: "access-control-allow-origin") == VaporWorld.pages)
                #expect(response.headers.first(name: "access-control-allow-credentials") == "true")
            }
            let other: HTTPHeaders = [
                "cookie": cookie, "origin": "https://evil.example", "sec-fetch-site": "cross-site",
            ]
            for path in ["/me", "/gone"] {
                let response = try await client.send(.GET, path, other)
                #expect(response.status == .forbidden && response.text != "alice-subject")
                #expect(!response.headers.contains(name: "access-control-allow-origin"))
            }
        }
    }

    @Test("The error of a route is kept by no shared cache, and keeps its own fields")
    func errors() async throws {
        try await serve { client in
            let cookie = try await world.signIn(client)
            let headers: HTTPHeaders = ["cookie": cookie, "sec-fetch-site": "same-origin"]
            for (path, status, caching) in [
                ("/gone", HTTPResponseStatus.gone, "private, no-cache"), ("/kept", .gone, "no-store"),
                ("/both", .unauthorized, "private, no-cache"),
            ] {
                let response = try await client.send(.GET, path, headers)
                #expect(response.status == status)
                #expect(response.headers["vary"].contains("Cookie"))
                if path != "/both" { #expect(response.headers["cache-control"] == [caching]) }
                #expect(response.challenges.isEmpty == (path != "/both"))
            }
        }
    }

    @Test("A preflight of a named origin is answered by the application's middleware")
    func preflight() async throws {
        let web = world.web
        try await world.serve({ app in
            app.middleware.use(BrowserSessionMiddleware(web))
            app.delete("me") { _ in "deleted" }
        }) { client async throws in
            func ask(_ origin: String) async throws -> String? {
                try await client.send(
                    .OPTIONS,
                    "/me",
                    ["origin": origin, "access-control-request-method": "DELETE"]
                ).headers.first(name: "access-control-allow-origin")
            }
            #expect(try await ask(VaporWorld.pages) == VaporWorld.pages)
            #expect(try await ask("https://evil.example") == nil)
        }
    }

    @Test("A user signs out, and the session is over")
    func signOut() async throws {
        try await serve { client in
            let cookie = try await world.signIn(client)
            let headers: HTTPHeaders = ["cookie": cookie, "origin": "https://app.example.com"]
            #expect(try await client.send(.POST, "/web/logout", headers).status == .ok)
            #expect(try await client.send(.GET, "/me", ["cookie": cookie]).status == .unauthorized)
        }
    }
}
