import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("The web authentication sheet")
    struct WebAuthenticationTests {
        let site: Site

        init() async throws {
            await freshDevice()
            site = try Site()
        }

        @Test("A sign-in with a custom scheme ends in a session", arguments: Ambiguity.all)
        func customScheme(_ ambiguity: Ambiguity) async throws {
            ambiguity.apply()
            let session = try await site.client().signIn()
            #expect(session.identity?.subject == "alice-subject")
            #expect(device.browser.visited.map(\.path) == ["/authorize", "/login"])
            #expect(device.snapshot.violations == [])
            #expect(device.snapshot.web.open == 0)
        }

        @Test("An https redirect on an associated host comes back without a request to that host")
        func httpsCallback() async throws {
            device.with { $0.app.webCredentialDomains = ["app.example.com"] }
            let client = try site.client(redirectURI: "https://app.example.com/callback")
            let session = try await client.signIn()
            #expect(session.identity?.subject == "alice-subject")
            #expect(!device.browser.visited.contains { $0.host == "app.example.com" })
        }

        @Test("An app without the redirect's associated domain fails as associatedDomainMissing, and not as cancelled")
        func associationMissing() async throws {
            let client = try site.client(redirectURI: "https://app.example.com/callback")
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(
                error
                    == SignInError(.authorization, .presentation(.associatedDomainMissing(host: "app.example.com")))
            )
            #expect(error?.recovery == .fixConfiguration)
        }

        @Test("Closing the sheet is a cancellation", arguments: Ambiguity.all)
        func personCancels(_ ambiguity: Ambiguity) async throws {
            ambiguity.apply()
            device.browser.script = { _ in .cancel }
            let client = try site.client()
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .cancelled))
            #expect(device.snapshot.violations == [])
        }

        @Test("A refused start of the sheet is not reported as a cancellation")
        func startRefused() async throws {
            device.with { $0.web.refusesToStart = true }
            let client = try site.client()
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .presentation(.startRefused)))
            device.with { $0.web.refusesToStart = false }
            _ = try await client.signIn()
        }

        @Test("A sheet that the system closes is an interruption")
        func interrupted() async throws {
            let client = try site.client()
            device.with { $0.web.interruption = .error(domain: "com.example.xpc", code: 4099) }
            let first = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(first == SignInError(.authorization, .presentation(.interrupted("com.example.xpc 4099"))))
            device.with { $0.web.interruption = .nothing }
            let second = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            let cause = "no redirect and no error"
            #expect(second == SignInError(.authorization, .presentation(.interrupted(cause))))
        }

        @Test("An undocumented error code is an interruption")
        func unknownCode() async throws {
            let domain = "com.apple.AuthenticationServices.WebAuthenticationSession"
            device.with { $0.web.interruption = .error(domain: domain, code: 77) }
            let client = try site.client()
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .presentation(.interrupted("\(domain) 77"))))
        }

        @Test("Guided Access and single app mode are named, and not reported as a cancellation")
        func guidedAccess() async throws {
            device.with { $0.web.isSingleAppMode = true }
            let client = try site.client()
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #if canImport(UIKit)
                #expect(error == SignInError(.authorization, .presentation(.browserBlocked)))
                #expect(error?.description.contains("sign in on another device") == true)
            #else
                // A Mac has no such mode: what looks like a cancellation is one.
                #expect(error == SignInError(.authorization, .cancelled))
            #endif
        }

        @Test("A private sheet asks for a new sign-in, and a shared one reuses the earlier sign-in")
        func browserSessions() async throws {
            func loginPages() -> Int { device.browser.visited.filter { $0.path == "/login" }.count }
            _ = try await site.client().signIn()
            let first = loginPages()
            _ = try await site.client().signIn()
            #expect(loginPages() == first)
            let ephemeral = WebAuthenticationUserAgent(browserSession: .ephemeral)
            _ = try await site.client(userAgent: ephemeral).signIn()
            #expect(loginPages() == 2 * first)
            _ = try await site.client(userAgent: ephemeral).signIn()
            #expect(loginPages() == 3 * first)
        }

        @Test("Extra header fields go out with the first request, and with no other")
        func headerFields() async throws {
            let userAgent = WebAuthenticationUserAgent(headerFields: ["X-Brand": "acme"])
            _ = try await site.client(userAgent: userAgent).signIn()
            #expect(device.browser.sent.map { $0["X-Brand"] } == ["acme", nil])
        }

        @Test(
            "A header field that the sheet cannot send is refused before a page opens",
            arguments: ["Cookie", "Foo", "x-brand", "X-", "X-Brand Name", "X-Bränd", ""]
        )
        func headerFieldName(_ name: String) async throws {
            let userAgent = WebAuthenticationUserAgent(headerFields: ["X-Brand": "acme", name: "secret"])
            let client = try site.client(userAgent: userAgent)
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            guard error?.stage == .authorization, case .configuration(let sentence) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(sentence.contains("\"\(name)\"") && sentence.contains("X-") && !sentence.contains("secret"))
            #expect(device.snapshot.web.opened == 0)
        }

        @Test("A header field whose value would end its line is refused before a page opens")
        func headerFieldValue() async throws {
            let userAgent = WebAuthenticationUserAgent(headerFields: ["X-Brand": "acme\r\nCookie: a=b"])
            let client = try site.client(userAgent: userAgent)
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error?.message.contains("\"X-Brand\"") == true && error?.message.contains("Cookie") == false)
            #expect(error?.recovery == .fixConfiguration)
            #expect(device.snapshot.web.opened == 0)
        }

        @Test("The device under test ends a session with a header field whose name does not begin with X-")
        func refusedHeaderField() async throws {
            #expect(await NaiveSheet.failure(["X-Brand": "acme", "Cookie": "a=b"]) == 1)
            #expect(device.browser.visited.isEmpty)
            device.browser.script = { _ in .visit(URL(string: "x:/done") ?? URL(fileURLWithPath: "/")) }
            #expect(await NaiveSheet.failure(["X-Brand": "acme"]) == nil)
        }

        @Test("A redirect to another path under the app's scheme is rejected as a mismatched redirect URI")
        func foreignPath() async throws {
            let evil = try #require(URL(string: "com.example.app:/other?code=stolen&state=s"))
            device.browser.script = { _ in .visit(evil) }
            let client = try site.client()
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.redirect, .mismatch(.redirectURI)))
        }

        @Test("A redirect with one slash is accepted as the system delivers it")
        func oneSlash() async throws {
            let userAgent = WebAuthenticationUserAgent()
            let attempt = try await userAgent.attempt(awaiting: try RedirectURI("com.example.app:/callback"))
            let delivered = try #require(URL(string: "com.example.app:/callback?code=c&state=s"))
            device.browser.script = { _ in .visit(delivered) }
            #expect(
                try await attempt.open(try #require(URL(string: Site.issuer + "/login")), accepting: .any) == delivered
            )
        }

        @Test(
            "A redirect URI that the sheet cannot receive is a configuration error, and no sheet opens",
            arguments: ["http://127.0.0.1/callback", "https://app.example.com:8443/callback"]
        )
        func unreceivable(_ redirectURI: String) async throws {
            let uri = try RedirectURI(redirectURI)
            let error = await signInFailure { () async throws(SignInError) in
                _ = try await WebAuthenticationUserAgent().attempt(awaiting: uri)
            }
            guard case .configuration = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(device.snapshot.web.opened == 0)
        }

        @Test("The web authentication session keeps the promises of a user agent")
        func contract() async throws {
            let check = UserAgentCheck(
                redirectURI: try RedirectURI("com.example.app:/callback"),
                attempts: .oneAtATime
            ) { person in
                device.browser.transport = { _ in BrowserResponse(status: 200, fields: [], body: []) }
                device.browser.script = { page in
                    guard let redirect = try? await person.redirect(for: page.url) else { return .wait }
                    return .visit(redirect)
                }
                return WebAuthenticationUserAgent()
            }
            try await check.run()
            #expect(device.snapshot.violations == [])
        }
    }
}
