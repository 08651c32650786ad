import AuthenticationServices
import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import SimulatedPlatform
import SimulatedWorld
import Testing

/// The use of a sheet in the two tutorials that have one.
///
/// | Document | Block | Test |
/// |---|---|---|
/// | Curity's tutorial | "Login Redirects" (`OIDExternalUserAgentIOS(presenting:)`, `OIDAuthorizationService.present`) | `curity` |
/// | Curity's tutorial | "End Session Requests" | `curity` |
/// | Zephr's guide | "start an ASWebAuthenticationSession" with the location of `startOAuthFlow`; the switch on the callback | `zephr` |
///
/// SSAFY Verify's notes have no Swift; their settings (`system_browser: ASWebAuthenticationSession`, the link first) are
/// what the example app's door for it is tested with.
@Suite("Snippets of the tutorials about the sheet", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct SheetSnippetTests {
    private let clock = TestClock()

    init() { freshDevice() }

    @Test("The Curity tutorial's AppAuth sheet signs in and out through Ostiary")
    func curity() async throws {
        var random = SecureRandom()
        let user = ProviderUser(
            name: "demouser",
            passwordHash: try PasswordHash(Secret("Password1"), cost: .insecureForTests, using: &random),
            subject: "demouser"
        )
        let issuer = "https://bae971bb9a64.eu.ngrok.io/oauth/v2/oauth-anonymous"
        let configuration = try ProviderConfiguration.curity(issuer: try Issuer(issuer), users: [user])
        let network = network(configuration)
        let person = person(network, "demouser", "Password1")
        device.browser.visit(
            as: person,
            awaiting: ["io.curity.client:/callback", "io.curity.client:/logoutcallback"]
        )
        let app = CurityApp(
            Curity(
                try CurityConfiguration(
                    issuer: issuer,
                    redirectUri: "io.curity.client:/callback",
                    postLogoutRedirectUri: "io.curity.client:/logoutcallback",
                    scope: "openid profile",
                    registration: .describingItself(requiresConsent: true)
                ),
                userAgent: WebAuthenticationUserAgent(),
                transport: network,
                store: MemoryStore(),
                clock: clock.device
            )
        )
        let session = try await app.signIn(
            acrValues: ["urn:se:curity:authentication:html-form:Username-Password"]
        )
        #expect(session?.identity?.subject == "demouser")
        #expect(try await app.signOut())
        #expect(device.snapshot.violations == [])

        // "The user can potentially cancel the ASWebAuthenticationSession window, and the demo app handles this
        // condition by remaining in the unauthenticated view."
        device.browser.visit(as: person, awaiting: [])
        #expect(try await app.signIn() == nil)
    }

    @Test("The Zephr guide's own web session reads each outcome of the callback")
    func zephr() async throws {
        var random = SecureRandom()
        let configuration = try ProviderConfiguration.zephr(
            issuer: try Issuer("https://news.example.com"),
            redirectURI: try RedirectURI("my-app:/oauthRedirect"),
            password: Secret("a long password"),
            cost: .insecureForTests,
            using: &random
        )
        let network = network(configuration)
        BlaizeConfiguration.shared.overrideBaseUrl = "https://news.example.com"
        BlaizeConfiguration.shared.use(transport: network, clock: clock.device)
        defer { BlaizeConfiguration.shared.overrideBaseUrl = nil }
        device.browser.visit(
            as: person(network, "ada", "a long password"),
            awaiting: ["my-app:/oauthRedirect"]
        )
        let callbacks = AsyncStream<URL?>.makeStream()
        let anchor = Anchor()
        BlaizePublic.client.startOAuthFlow(provider: AuthProvider.google) { result in
            switch result {
            case .success(let locationUrl):
                // Trigger OAuth flow
                Task { @MainActor in anchor.start(locationUrl) { callbacks.continuation.yield($0) } }
            case .failure:
                // Handle failure
                callbacks.continuation.yield(nil)
            }
        }
        var iterator = callbacks.stream.makeAsyncIterator()
        let callbackURL = await iterator.next() ?? nil
        let queryItems = try #require(callbackURL).queryItems
        var printed: [String] = []
        switch callbackURL?.queryItems["status"] {
        case "success":
            printed.append("Login successful")
            #expect(queryItems["session_id"]?.isEmpty == false)
        case "partial": printed.append("Partial registration successful")
        case "failure": printed.append("Auth response error")
        default: printed.append("Unknown auth response status")
        }
        #expect(printed == ["Login successful"])
    }

    private func network(_ configuration: ProviderConfiguration) -> InProcessProvider {
        InProcessProvider(
            provider: Provider(
                configuration: configuration,
                clock: clock.device,
                random: SecureRandom()
            )
        )
    }

    private func person(_ network: InProcessProvider, _ name: String, _ password: String) -> HTTPUserAgent {
        HTTPUserAgent(
            transport: network,
            credentials: .init(name: name, password: Secret(password)),
            clock: clock.device
        )
    }
}

/// "Using the location URL returned by startOAuthFlow, start an ASWebAuthenticationSession."
@MainActor
private final class Anchor: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var session: ASWebAuthenticationSession?

    func start(_ location: URL, _ done: @escaping @Sendable (URL?) -> Void) {
        let session = ASWebAuthenticationSession(
            url: location,
            callback: .customScheme("my-app"),
            completionHandler: { @Sendable url, _ in done(url) }
        )
        session.presentationContextProvider = self
        self.session = session
        if !session.start() { done(nil) }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { frontWindow()! }
}
