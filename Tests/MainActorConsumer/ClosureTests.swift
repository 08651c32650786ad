import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryLogi
import OstiaryProvider
import OstiarySSAFY
import OstiaryTesting
import OstiaryZephr
import Testing

/// An app in a module whose default isolation is the main actor, as Xcode 26 makes new ones.
///
/// Each closure that the app hands over is called by the package, from wherever it is at that moment; a closure that took the
/// main actor along would end the process there (SE-0423).
@Suite("An app on the main actor by default", .timeLimit(.minutes(5)))
struct ClosureTests {
    private var steps: [String] = []

    @Test("Every closure of a sign-in client may be written on the main actor")
    func client() async throws {
        let world = try TestWorld()
        let redirects = ForwardedRedirects()
        let (events, told) = AsyncStream<SignInEvent>.makeStream()
        let userAgent = world.userAgent()
        let client = SignInClient(
            issuer: try Issuer("https://id.example.test"),
            client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: ForwardingUserAgent(
                    redirects,
                    opening: { url throws(SignInError) in
                        let attempt = try await userAgent.attempt(
                            awaiting: try RedirectURI("com.example.app:/callback")
                        )
                        _ = redirects.handle(try await attempt.open(url, accepting: .any))
                    },
                    closing: {}
                ),
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device,
                random: { SecureRandom() },
                events: { told.yield($0) }
            )
        )
        let session = try await client.signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(try await !session.accessToken().isEmpty)
        try await session.signOut()
        told.finish()
        var seen = 0
        for await _ in events { seen += 1 }
        #expect(seen > 0)
    }

    @Test("Every closure of a user agent may be written on the main actor")
    func userAgents() async throws {
        let world = try TestWorld()
        let userAgent = world.userAgent()
        let scripted = ScriptedUserAgent { url, redirectURI throws(SignInError) in
            try await userAgent.attempt(awaiting: redirectURI).open(url, accepting: .any)
        }
        let handoff = AppHandoff(
            ForwardedRedirects(),
            opener: { _ in false },
            rewriting: { $0 },
            otherwise: scripted
        )
        let client = SignInClient(
            issuer: try Issuer("https://id.example.test"),
            client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: handoff,
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device
            )
        )
        #expect(try await client.signIn().identity?.subject == "alice-subject")
    }

    @Test("Every closure of a front door may be written on the main actor")
    func frontDoors() async throws {
        let logi = try Logi(
            LogiConfiguration(clientID: "app", redirectURI: "com.example.app:/callback"),
            browser: ManualUserAgent(
                show: { _ in },
                read: { nil }
            ),
            opener: { _ in false },
            random: { SecureRandom() },
            events: { _ in }
        )
        #expect(logi.handle(try #require(URL(string: "com.example.app:/callback?code=c"))) == false)
        let (results, told) = AsyncStream<Bool>.makeStream()
        BlaizePublic.client.startOAuthFlow(provider: .twitter) { result in
            if case .failure = result { told.yield(true) } else { told.yield(false) }
        }
        for await failed in results {
            #expect(failed)
            break
        }
    }
}
