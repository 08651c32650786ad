import Foundation
import Ostiary
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("The web authentication sheet over a real connection")
    struct LoopbackSiteTests {
        init() async { await freshDevice() }

        @Test("Redirects of a server are followed, with its cookie, to the app's scheme")
        func redirects() async throws {
            let server = try LoopbackServer { request in
                switch request.target {
                case "/authorize": .response(303, ["Location: /next", "Set-Cookie: s=1; Path=/"])
                default: .response(302, ["Location: com.example.app:/callback?code=c&state=s"])
                }
            }
            let attempt = try await WebAuthenticationUserAgent().attempt(
                awaiting: try RedirectURI("com.example.app:/callback")
            )
            let page = try #require(URL(string: "http://127.0.0.1:\(server.port)/authorize"))
            let redirect = try await attempt.open(page, accepting: .any)
            #expect(redirect.absoluteString == "com.example.app:/callback?code=c&state=s")
            #expect(server.requests.map(\.target) == ["/authorize", "/next"])
            #expect(server.requests.last?.values(of: "Cookie") == ["s=1"])
        }
    }
}
