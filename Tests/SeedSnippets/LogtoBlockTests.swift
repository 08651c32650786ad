import Foundation
import Logto
import LogtoClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The code blocks of Logto's guide "Add authentication to your iOS (Swift) application": its import lines, its order and its
/// text, but for indentation. A placeholder such as `<your-logto-endpoint>` cannot be a URL: the configuration is then
/// `nil`, and the client says so.
///
/// | Block | Test |
/// |---|---|
/// | `import Logto`, `import LogtoClient`, the first `LogtoConfig` and `LogtoClient` | `initialize` |
/// | `usingPersistStorage: false` | `withoutPersistence`; the guide's `// ...` stands for the two arguments |
/// | three views | `Verbatim/LogtoViewSnippetTests`, on Apple's platforms |
/// | `UserScope.Email.rawValue`, `getIdTokenClaims` | `additionalScopes` |
/// | `fetchUserInfo` | `userInfo`: where nothing can wait, as printed; with `await` elsewhere |
/// | `resources:` (3) | `resources` |
/// | `getAccessToken(for:)`, `LogtoRequest.get` | `accessToken` |
@Suite("Logto's guide, block by block, with its own import lines")
struct LogtoBlockTests {
    @Test("The guide's first block makes a client, whose configuration is missing while it has placeholders")
    func initialize() {
        let config = try? LogtoConfig(
            endpoint: "<your-logto-endpoint>",  // for example http://localhost:3001
            appId: "<your-app-id>"
        )
        let client = LogtoClient(useConfig: config)
        #expect(config == nil && client.logtoConfig == nil && !client.isAuthenticated)
    }

    @Test("The guide's block without persistence compiles with the endpoint and the app's identifier")
    func withoutPersistence() {
        let config = try? LogtoConfig(
            endpoint: "http://localhost:3001",
            appId: "logto-app",
            usingPersistStorage: false
        )
        #expect(config?.usingPersistStorage == false)
    }

    @Test("The guide's additional scopes are those of the claims that it reads")
    func additionalScopes() {
        let config = try? LogtoConfig(
            endpoint: "<your-logto-endpoint>",  // for example http://localhost:3001
            appId: "<your-app-id>",
            scopes: [
                UserScope.Email.rawValue,
                UserScope.Phone.rawValue,
            ]
        )
        let client = LogtoClient(useConfig: config)
        let claims = try? client.getIdTokenClaims()
        // The guide: the additional claims `claims.email`, `claims.phone` can be read now.
        #expect(claims?.email == nil && claims?.phone == nil)
    }

    @Test("The guide's request for user info compiles where nothing can wait, and with await elsewhere")
    func userInfo() async {
        let client = LogtoClient(useConfig: nil)
        func started() -> Bool {
            let userInfo = try? client.fetchUserInfo()
            return userInfo != nil
        }
        #expect(!started())
        let userInfo = try? await client.fetchUserInfo()
        #expect(userInfo?.custom_data == nil)
    }

    @Test("The guide's three configurations with API resources compile with their trailing commas")
    func resources() {
        func first() -> LogtoClient {
            let config = try? LogtoConfig(
                endpoint: "<your-logto-endpoint>",  // for example http://localhost:3001
                appId: "<your-app-id>",
                resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],  // API resources
            )
            let client = LogtoClient(useConfig: config)
            return client
        }
        func second() -> LogtoClient {
            let config = try? LogtoConfig(
                endpoint: "<your-logto-endpoint>",
                appId: "<your-app-id>",
                scopes: ["shopping:read", "shopping:write", "store:read", "store:write"],
                resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],
            )
            let client = LogtoClient(useConfig: config)
            return client
        }
        func third() -> LogtoClient {
            let config = try? LogtoConfig(
                endpoint: "<your-logto-endpoint>",
                appId: "<your-app-id>",
                scopes: ["read", "write"],
                resources: ["https://shopping.your-app.com/api", "https://store.your-app.com/api"],
            )
            let client = LogtoClient(useConfig: config)
            return client
        }
        #expect([first(), second(), third()].allSatisfy { !$0.isAuthenticated })
    }

    @Test("The guide's request with an access token compiles with the session that every app has")
    func accessToken() async throws {
        let client = LogtoClient(useConfig: nil)
        await #expect(throws: LogtoClientErrors.AccessToken.self) {
            let accessToken = try await client.getAccessToken(for: "https://shopping.your-app.com/api")
            print(accessToken)
        }
        let (session, userInfoEndpoint, accessToken) = (URLSession.shared, "<your-logto-endpoint>/oidc/me", "token")
        await LogtoRequest.get(
            useSession: session,
            endpoint: userInfoEndpoint,
            headers: ["Authorization": "Bearer \(accessToken)"]
        )
    }
}
