import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// The four acts of the tutorial's app, in the order in which it shows them.
///
/// The tutorial is written with AppAuth's builders and callbacks; each act is one call here.
@Suite
struct CuritySnippetTests {
    /// The tutorial's `ApplicationConfig`.
    struct ApplicationConfig {
        let issuer = "https://bae971bb9a64.eu.ngrok.io/oauth/v2/oauth-anonymous"
        let redirectUri = "io.curity.client:/callback"
        let postLogoutRedirectUri = "io.curity.client:/logoutcallback"
        let scope = "openid profile"
    }

    let config = ApplicationConfig()

    /// The app on a server of its own.
    private func app(_ network: InProcessProvider, _ store: any SecretStore, _ clock: TestClock) throws -> CurityApp {
        let browser = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "demouser", password: Secret("Password1"))
        )
        let configuration = try CurityConfiguration(
            issuer: config.issuer,
            redirectUri: config.redirectUri,
            postLogoutRedirectUri: config.postLogoutRedirectUri,
            scope: config.scope,
            registration: .describingItself(requiresConsent: true)
        )
        return CurityApp(
            Curity(configuration, userAgent: browser, transport: network, store: store, clock: clock.device)
        )
    }

    private func network(_ clock: TestClock) throws -> InProcessProvider {
        var random = SecureRandom()
        let user = ProviderUser(
            name: "demouser",
            passwordHash: try PasswordHash(Secret("Password1"), cost: .insecureForTests, using: &random),
            subject: "demouser"
        )
        let configuration = try ProviderConfiguration.curity(issuer: try Issuer(config.issuer), users: [user])
        return InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
    }

    @Test("The Curity tutorial's app registers, signs in, refreshes and signs out, with a restart between any two")
    func fourActs() async throws {
        let clock = TestClock()
        let network = try network(clock)
        let store = MemoryStore()

        // "When the app is first run it downloads metadata … then creates the dynamic client registration request."
        let registrationResponse = try await app(network, store, clock).register()
        #expect(registrationResponse.clientSecret?.isEmpty == false)

        // "Authorization redirects are triggered by building an OpenID Connect authorization request message", with
        // extraParams["acr_values"]; the code is redeemed in the same call.
        let session = try await app(network, store, clock).signIn(
            acrValues: ["urn:se:curity:authentication:html-form:Username-Password"]
        )
        #expect(session?.identity?.subject == "demouser")

        // "You can use the refresh token to silently renew an access token."
        let accessToken = try await app(network, store, clock).refresh()
        #expect(accessToken?.isEmpty == false)

        // "This results in an OpenID Connect end session redirect."
        let isSignedOut = try await app(network, store, clock).signOut()
        #expect(isSignedOut)

        // "The same Client ID and Client Secret are used when the app is restarted."
        #expect(try await app(network, store, clock).register() == registrationResponse)
    }

    @Test("An expired refresh token and a closed browser are results, and every other error has four fields")
    func errors() async throws {
        let clock = TestClock()
        let app = try app(try network(clock), MemoryStore(), clock)
        try await app.signIn()
        clock.advance(by: .seconds(3601))
        // "This condition is detected by the code example, which checks for an invalid_grant error code."
        #expect(try await app.refresh() == nil)

        do {
            try await app.signIn(prompt: [.none, .login])
            Issue.record("prompt=none with another prompt was sent.")
        } catch {
            // "The code example ensures that all four of these fields are captured."
            let fields = (error.domain.rawValue, error.code.rawValue, error.error, error.errorDescription)
            #expect(fields.0 == "org.openid.appauth.general" && fields.2 == nil && !fields.3.isEmpty)
        }
    }
}
