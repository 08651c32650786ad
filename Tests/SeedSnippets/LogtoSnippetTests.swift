import Foundation
import Logto
import LogtoClient
import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// The acts of Logto's guide "Add authentication to your iOS (Swift) application", run at a tenant in this process; its
/// code blocks are in LogtoBlockTests. A view's body and its state are a type of the same members here.
@Suite("Logto's guide, run at a tenant")
struct LogtoSnippetTests {
    /// A session to the tenant: any transport is one with an empty extension.
    private struct TenantSession: HTTPTransport, NetworkSession {
        let network: InProcessProvider

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            try await network.send(request)
        }
    }

    /// A tenant in this process; the guide's client is made with what an app on a device has by itself.
    private struct Tenant {
        let network: InProcessProvider
        let person: any UserAgent
        let store = MemoryStore()
        let clock: TestClock

        init() throws {
            let clock = TestClock()
            var random = SecureRandom()
            let hash = try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
            let configuration = try ProviderConfiguration.logto(
                issuer: try Issuer("http://localhost:3001/oidc"),
                passwordHash: hash
            )
            let network = InProcessProvider(
                provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
            )
            let browser = HTTPUserAgent(
                transport: network,
                credentials: .init(name: "alice", password: Secret("wonderland"))
            )
            self.clock = clock
            self.network = network
            person = ScriptedUserAgent { (url, redirectURI) throws(SignInError) in
                // A page without a way back is closed by the user.
                let isEnd = url.path() == "/oidc/session/end" && url.query()?.contains("post_logout") != true
                if isEnd { throw SignInError(.authorization, .cancelled) }
                return try await browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
            }
        }

        func client(_ config: LogtoConfig?) -> LogtoClient {
            LogtoClient(useConfig: config, transport: network, userAgent: person, store: store, clock: clock.device)
        }
    }

    @Test("The Logto guide's configuration stores the session by default")
    func initialize() {
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",  // for example http://localhost:3001
            appId: "logto-app"
        )
        #expect(config?.issuer == "http://localhost:3001/oidc" && config?.usingPersistStorage == true)
    }

    @Test("With persistence off no session is restored, and with persistence on it is")
    func withoutPersistence() async throws {
        let tenant = try Tenant()
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            usingPersistStorage: false
        )
        func client() -> LogtoClient {
            LogtoClient(
                useConfig: config,
                transport: tenant.network,
                userAgent: tenant.person,
                clock: tenant.clock.device
            )
        }
        let first = client()
        try await first.signInWithBrowser(redirectUri: "io.logto.app://callback")
        #expect(first.isAuthenticated)
        let next = client()
        try await next.restore()
        #expect(!next.isAuthenticated)
    }

    /// The guide's view of version 2.
    @MainActor
    private final class ContentView {
        let client: LogtoClient
        var isAuthenticated: Bool
        var name: String?
        private let redirectUri = "io.logto.app://callback"
        private let postLogoutRedirectUri = "io.logto.app://signed-out"

        init(_ client: LogtoClient) {
            self.client = client
            isAuthenticated = client.isAuthenticated
            name = try? client.getIdTokenClaims().name
        }

        func signOut() async {
            await Task { [self] in
                let error = await client.signOut(postLogoutRedirectUri: postLogoutRedirectUri)
                if let error = error {
                    print(error)
                    return
                }
                isAuthenticated = false
            }.value
        }

        func signIn() async {
            await Task { [self] in
                do {
                    try await client.signInWithBrowser(redirectUri: redirectUri)
                    isAuthenticated = true
                } catch let error as LogtoClientErrors.SignIn {
                    // error occurred during sign in
                    Issue.record(error)
                } catch {
                    // other errors
                    Issue.record(error)
                }
            }.value
        }
    }

    @Test("The Logto guide's version 2 view signs in and out")
    @MainActor
    func versionTwo() async throws {
        let tenant = try Tenant()
        let config = try? LogtoConfig(endpoint: "http://localhost:3001", appId: "logto-app")
        let view = ContentView(tenant.client(config))
        #expect(!view.isAuthenticated && view.name == nil)
        await view.signIn()
        #expect(view.isAuthenticated)
        // After a launch the view shows the name at once.
        #expect(ContentView(tenant.client(config)).name == "Alice Liddell")
        await view.signOut()
        #expect(!view.isAuthenticated && !ContentView(tenant.client(config)).isAuthenticated)
    }

    @Test("The Logto guide signs out without a redirect URI, and without a page")
    func otherSignOuts() async throws {
        let client = try Tenant().client(try? LogtoConfig(endpoint: "http://localhost:3001", appId: "logto-app"))
        try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
        #expect(await client.signOut() == nil)
        try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
        #expect(await client.clearCredentials() == nil)
    }

    /// Version 1's `signOut()` opened no page: `clearCredentials()` is its name since version 2. Here a page is closed.
    @Test("The Logto guide's version 1 block signs in, and signs out with the page")
    func versionOne() async throws {
        let client = try Tenant().client(try? LogtoConfig(endpoint: "http://localhost:3001", appId: "logto-app"))
        do {
            try await client.signInWithBrowser(redirectUri: "io.logto://callback")
        } catch let error as LogtoClientErrors.SignIn {
            Issue.record(error)
        } catch {
            Issue.record(error)
        }
        #expect(client.isAuthenticated)
        await client.signOut()
        #expect(!client.isAuthenticated)
    }

    @Test("The Logto guide's additional scopes return their claims")
    func additionalClaims() async throws {
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            scopes: [
                UserScope.Email.rawValue,
                UserScope.Phone.rawValue,
            ]
        )
        let client = try Tenant().client(config)
        try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
        let claims = try? client.getIdTokenClaims()
        #expect(claims?.email == "alice@example.com" && claims?.phone == "+4915112345678")
    }

    @Test("The Logto guide reads user info claims by request")
    func userInfo() async throws {
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            scopes: [UserScope.customData.rawValue]
        )
        let client = try Tenant().client(config)
        try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
        // As the guide has it, where nothing can wait: the request is started.
        func show() -> Task<LogtoCore.UserInfoResponse, any Error>? {
            let userInfo = try? client.fetchUserInfo()
            return userInfo
        }
        #expect(try await show()?.value.custom_data?.objectValue?["theme"]?.stringValue == "dark")
        let userInfo = try? await client.fetchUserInfo()
        #expect(userInfo?.custom_data?.objectValue?["beta"] == .bool(true))
    }

    @Test("The Logto guide's API resources are configured with scopes in two ways")
    func resources() async throws {
        let plain = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],  // Add API resources
        )
        #expect(plain?.resources == ["https://shopping.your-app.com/api", "https://store.your-app.com/api"])
        let prefixed = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            scopes: ["shopping:read", "shopping:write", "store:read", "store:write"],
            resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],
        )
        let shared = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            scopes: ["read", "write"],
            resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],
        )
        for (config, scopes) in [
            (prefixed, "shopping:read shopping:write"), (shared, "read"), (plain, ""),
        ] {
            let client = try Tenant().client(config)
            try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
            let accessToken = try await client.getAccessToken(for: "https://shopping.your-app.com/api")
            let claims = try LogtoUtilities.decodeAccessToken(accessToken)
            #expect(claims["scope"]?.stringValue ?? "" == scopes)
        }
    }

    @Test("The Logto guide attaches the access token to a request")
    func request() async throws {
        let tenant = try Tenant()
        let client = tenant.client(try? LogtoConfig(endpoint: "http://localhost:3001", appId: "logto-app"))
        try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
        let session = TenantSession(network: tenant.network)
        let userInfoEndpoint = "http://localhost:3001/oidc/me"
        let accessToken = try await client.getAccessToken()
        await LogtoRequest.get(
            useSession: session,
            endpoint: userInfoEndpoint,
            headers: ["Authorization": "Bearer \(accessToken)"]
        )
        #expect(tenant.network.count(path: "/oidc/me") == 1)
        let user: JsonObject = try await LogtoRequest.get(
            useSession: session,
            endpoint: userInfoEndpoint,
            headers: ["Authorization": "Bearer \(accessToken)"]
        )
        #expect(user["sub"] == .string("user-alice"))
    }
}
