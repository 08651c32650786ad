import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

/// The app of the document: the block "SwiftUI .onOpenURL — required for app-to-app handoff", with an app and a view
/// round it.
private struct DocumentApp: App {
    var body: some Scene {
        WindowGroup {
            ContentView()
                .onOpenURL { url in _ = LogiAuth.handle(url) }
        }
    }
}

private struct ContentView: View {
    @State private var who = "nobody"

    var body: some View {
        Text(who)
        Button("Sign in") {
            Task {
                let result = try await LogiAuth.signIn()
                who = result.email ?? result.claims.effectiveSub
            }
        }
        Button("Sign out") {
            Task {
                try await LogiAuth.signOut()
                who = "nobody"
            }
        }
    }
}

/// The blocks of logi's document that an app's views are made of.
///
/// | Block | Test |
/// |---|---|
/// | `LogiAuth.configure(…)` and `LogiAuth.signIn()` | each |
/// | "SwiftUI .onOpenURL — required for app-to-app handoff" | `appToApp` |
/// | "First-Try App-to-App" (`universalLinksOnly`, then the sheet) | `appToApp`, `sheet` |
/// | "Methods": `signOut()` | `sheet` |
@Suite("Snippets of logi's document about views", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct LogiViewSnippetTests {
    private let network: InProcessProvider
    private let person: HTTPUserAgent
    private let platform: LogiAuthPlatform
    nonisolated private static let redirectURI = "myapp://oauth/1pass/callback"

    init() throws {
        freshDevice()
        let clock = TestClock()
        var random = SecureRandom()
        let hash = try PasswordHash(Secret("open sesame"), cost: .insecureForTests, using: &random)
        var configuration = ProviderConfiguration.logi(issuer: try Issuer("https://api.1pass.dev"), password: hash)
        configuration.clients[0].id = "logi_xxx"
        network = InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
        person = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "mina", password: Secret("open sesame")),
            clock: clock.device
        )
        platform = LogiAuthPlatform(
            browser: WebAuthenticationUserAgent(),
            opener: AppHandoff.systemOpener,
            transport: network,
            store: MemoryStore(),
            clock: clock.device
        )
        LogiAuth.configure(
            LogiAuthConfig(
                clientId: "logi_xxx",
                redirectURI: URL(string: "myapp://oauth/1pass/callback")!,
                scopes: ["openid", "profile:basic", "email"]
            ),
            on: platform
        )
    }

    @Test("Without the provider's app the logi document's app signs in with the sheet, and signs out")
    func sheet() async throws {
        device.browser.visit(as: person, awaiting: [Self.redirectURI])
        let host = SimulatedViewHost(app: DocumentApp())
        try host.tap("Sign in")
        await host.until { !$0.texts.contains("nobody") }
        #expect(LogiAuth.lastSession != nil && device.snapshot.openedURLs == [])
        try host.tap("Sign out")
        await host.until { $0.texts.contains("nobody") }
        #expect(LogiAuth.lastSession == nil)
    }

    @Test("With the provider's app the logi document's app opens it first, and finishes by onOpenURL")
    func appToApp() async throws {
        device.with { $0.universalLinkHosts = [LogiPreset.nativeAuthorizeHost] }
        let host = SimulatedViewHost(app: DocumentApp())
        try host.tap("Sign in")
        await host.until { _ in !device.snapshot.openedURLs.isEmpty }
        let native = try #require(device.snapshot.openedURLs.first)
        #expect(native.host() == LogiPreset.nativeAuthorizeHost)
        var web = try #require(URLComponents(url: native, resolvingAgainstBaseURL: false))
        web.host = "api.1pass.dev"
        let redirect = try await person.attempt(awaiting: try RedirectURI(Self.redirectURI))
            .open(try #require(web.url), accepting: .any)
        host.open(redirect)
        await host.until { !$0.texts.contains("nobody") }
        #expect(device.browser.visited == [])
    }
}
