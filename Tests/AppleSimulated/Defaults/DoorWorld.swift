import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCurity
import OstiaryLogi
import OstiaryLogto
import OstiarySSAFY
import OstiaryTesting
import OstiaryZephr
import SimulatedPlatform
import SimulatedWorld
import Testing

@testable import SwiftUIApp

/// The five front doors with the library's own user agents, on the network of the example app.
struct DoorWorld: Sendable {
    static let logiScheme = "com.example.providers://oauth/1pass/callback"
    static let logtoScheme = "com.example.providers://logto/callback"
    static let curityScheme = "com.example.providers://curity/callback"
    static let ssafyLink = "https://partner.example.com/ios/ssafy/callback"
    static let ssafyScheme = "partnerapp://ssafy/callback"
    static let zephrLink = "https://app.example.com/oauthredirect"

    let network: AppNetwork
    let store = MemoryStore()

    init() throws {
        network = try AppNetwork()
        device.with { $0.app.webCredentialDomains = ["partner.example.com", "app.example.com"] }
    }

    func logiConfiguration(_ redirectURI: String = logiScheme) throws -> LogiConfiguration {
        try LogiConfiguration(clientID: "logi_example", redirectURI: redirectURI)
    }

    func logi(
        _ configuration: LogiConfiguration,
        browser: any UserAgent = PlatformUserAgent(),
        opener: Logi.Opener? = Logi.platformOpener
    ) throws -> Logi {
        try Logi(
            configuration,
            browser: browser,
            opener: opener,
            transport: network,
            store: store,
            clock: network.clock.device
        )
    }

    func logiAuth(
        browser: any UserAgent = PlatformUserAgent(),
        _ change: (inout LogiAuthConfig) throws -> Void = { _ in }
    ) throws -> LogiAuth {
        var config = LogiAuthConfig(clientId: "logi_example", redirectURI: try #require(URL(string: Self.logiScheme)))
        try change(&config)
        let auth = LogiAuth()
        auth.configure(
            config,
            on: LogiAuthPlatform(browser: browser, transport: network, store: store, clock: network.clock.device)
        )
        return auth
    }

    func ssafyConfiguration(_ redirectURI: String = ssafyLink, fallback: String? = nil) throws -> SSAFYConfiguration {
        try SSAFYConfiguration(clientID: "ssafy-partner", redirectURI: redirectURI, fallbackRedirectURI: fallback)
    }

    func ssafy(_ configuration: SSAFYConfiguration, userAgent: (any UserAgent)? = nil) throws -> SSAFYVerify {
        try SSAFYVerify(
            configuration,
            backend: JSONVerificationBackend(
                endpoint: try #require(URL(string: "https://partner.example.com/api/ssafy")),
                transport: network,
                clock: network.clock.device
            ),
            userAgent: userAgent,
            store: store,
            clock: network.clock.device
        )
    }

    private func logtoConfig(isPrivate: Bool) throws -> LogtoConfig {
        let endpoint = "https://example.logto.app"
        guard isPrivate else { return try LogtoConfig(endpoint: endpoint, appId: "logto-app") }
        return try LogtoConfig(endpoint: endpoint, appId: "logto-app", prefersEphemeralWebBrowserSession: true)
    }

    func logto(_ redirectURI: String = logtoScheme, isPrivate: Bool = false) throws -> Logto {
        try Logto(
            logtoConfig(isPrivate: isPrivate),
            redirectURI: redirectURI,
            transport: network,
            store: store,
            clock: network.clock.device
        )
    }

    func logtoClient(isPrivate: Bool = false) throws -> LogtoClient {
        LogtoClient(
            useConfig: try logtoConfig(isPrivate: isPrivate),
            transport: network,
            store: store,
            clock: network.clock.device
        )
    }

    func zephrConfiguration(_ redirectURI: String = zephrLink) throws -> ZephrConfiguration {
        try ZephrConfiguration(site: ZephrSite("https://news.example.com"), redirectURI: redirectURI)
    }

    func zephr(_ configuration: ZephrConfiguration) -> Zephr {
        Zephr(configuration, transport: network, store: store, clock: network.clock.device)
    }

    func curity(_ redirectURI: String = curityScheme) throws -> Curity {
        Curity(
            try CurityConfiguration(
                issuer: "https://idsvr.example.com/oauth/v2/oauth-anonymous",
                redirectUri: redirectURI,
                postLogoutRedirectUri: "com.example.providers://curity/signed-out"
            ),
            transport: network,
            store: store,
            clock: network.clock.device
        )
    }

    /// A sign-in whose sheet stays up, while its redirect comes as a URL that the app is opened with.
    func forwarded<Outcome: Sendable>(
        to kind: SignInProvider.Kind,
        _ redirectURI: String,
        by handle: (URL) -> Bool,
        _ signIn: @escaping @Sendable () async throws -> Outcome
    ) async throws -> Outcome {
        device.browser.transport = { _ in BrowserResponse(status: 200, fields: [], body: []) }
        device.browser.script = { _ in .wait }
        let running = Task { try await signIn() }
        #expect(await device.until { !device.browser.visited.isEmpty })
        let page = try #require(device.browser.visited.first)
        let redirect = try await network.person(at: kind).attempt(awaiting: try RedirectURI(redirectURI))
            .open(page, accepting: .any)
        let isTaken = handle(redirect)
        #expect(isTaken)
        // No caller waits for a sign-in that continues.
        if !isTaken { running.cancel() }
        let outcome = try await running.value
        #expect(device.snapshot.web.open == 0 && !handle(redirect))
        return outcome
    }
}
