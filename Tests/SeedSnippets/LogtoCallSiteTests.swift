import Foundation
import Logto
import LogtoClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Code of an app that was written for Logto's own SDK, beyond the guide: its README, its MIGRATION.md and its declarations were
/// read, and these are calls of each.
@Suite("Logto's SDK, its call sites with its own import lines")
struct LogtoCallSiteTests {
    /// An app's own session for its tests, as Logto's SDK lets one be written.
    private struct SessionMock: NetworkSession {
        let body: String

        func loadData(with request: URLRequest) async -> (Data?, (any Error)?) {
            guard let url = request.url, url.path.hasSuffix("/found") else {
                return (nil, LogtoErrors.Response.notHttpResponse(response: nil))
            }
            return (Data(body.utf8), nil)
        }
    }

    private struct Me: Codable {
        let customName: String
    }

    @Test("The Logto SDK's custom network session loads and decodes, and its errors are passed on")
    func networkSession() async throws {
        let session: any NetworkSession = SessionMock(body: #"{"custom_name": "Alice"}"#)
        let me: Me = try await LogtoRequest.get(
            useSession: session,
            endpoint: "https://api.example.com/found",
            headers: ["Authorization": "Bearer token"]
        )
        #expect(me.customName == "Alice")
        let (data, error) = await LogtoRequest.load(
            useSession: session,
            method: .post,
            url: try #require(URL(string: "https://api.example.com/found")),
            headers: ["Content-Type": "application/json"],
            body: Data("{}".utf8)
        )
        #expect(data != nil && error == nil)
        try await LogtoRequest.post(useSession: session, endpoint: "https://api.example.com/found", body: nil)
        #expect(
            await LogtoRequest.load(useSession: session, method: .get, endpoint: "https://api.example.com/").1 != nil
        )
        _ = LogtoClient(useConfig: nil, session: session)
        _ = LogtoClient(useConfig: nil, session: URLSession.shared)
    }

    @Test("A URLSession failure is returned as the result's error")
    func urlSession() async {
        let (data, error) = await URLSession.shared.loadData(
            with: URLRequest(url: URL(string: "http://127.0.0.1:9/")!)
        )
        #expect(data == nil && error != nil)
    }

    @Test("LogtoClient's errors are caught by name, and each kind by its case")
    func errors() async {
        let client = LogtoClient(
            useConfig: try? LogtoConfig(endpoint: "https://t.logto.app", appId: "a", usingPersistStorage: false)
        )
        do {
            _ = try client.getIdTokenClaims()
            Issue.record("Nobody is signed in.")
        } catch LogtoClientErrors.IdToken.notAuthenticated {
            // As Logto's SDK throws it.
        } catch {
            Issue.record(error)
        }
        #expect(client.idToken == nil && client.refreshToken == nil && client.oidcConfig == nil)
        #expect(await client.signOut(postLogoutRedirectUri: "io.logto.app://signed-out")?.type == .notAuthenticated)
        #expect(await client.clearCredentials()?.type.rawValue == "notAuthenticated")
        do {
            _ = try await client.getAccessTokenClaims(for: nil)["scope"]?.stringValue
            Issue.record("Nobody is signed in.")
        } catch let error as LogtoClientErrors.AccessToken {
            switch error.type {
            case .noRefreshTokenFound: #expect(error.innerError != nil)
            case .unableToFetchTokenByRefreshToken: Issue.record(error)
            }
        } catch {
            Issue.record(error)
        }
    }

    @Test("A switch over sign-in error kinds has the seven cases of Logto's SDK")
    func kinds() {
        func text(_ type: LogtoClientErrorTypes.SignIn) -> String {
            switch type {
            case .unknownError, .authFailed: "browser"
            case .signInSessionAlreadyInProgress: "twice"
            case .unableToConstructRedirectUri, .unableToConstructAuthUri: "address"
            case .unableToFetchToken, .unexpectedSignInCallback: type.rawValue
            }
        }
        #expect(text(.authFailed) == "browser" && text(.unableToFetchToken) == "unableToFetchToken")
        let error = LogtoClientErrors.SignIn(
            type: .unexpectedSignInCallback,
            innerError: LogtoErrors.UriVerification.errorItemFound(items: [URLQueryItem(name: "error", value: "x")])
        )
        guard case .errorItemFound(let items) = error.innerError as? LogtoErrors.UriVerification else {
            Issue.record(error)
            return
        }
        #expect(items.first?.value == "x")
        if let response = error.innerError as? LogtoErrors.Response,
            case LogtoErrors.Response.withCode(_, _, let data) = response
        {
            Issue.record("\(String(describing: data))")
        }
    }

    @Test("LogtoCore's functions take URLs, optional parameters and a module prefix")
    func core() throws {
        let redirectUri = try #require(URL(string: "io.logto.app://callback"))
        let url = try LogtoCore.generateSignInUri(
            authorizationEndpoint: "https://t.logto.app/oidc/auth",
            clientId: "a",
            redirectUri: redirectUri,
            codeChallenge: LogtoUtilities.generateCodeChallenge(codeVerifier: LogtoUtilities.generateCodeVerifier()),
            state: "s",
            scopes: [Logto.UserScope.email.rawValue],
            resources: [],
            prompt: .login,
            loginHint: nil,
            directSignIn: LogtoCore.DirectSignInOptions(method: .social, target: "github"),
            extraParams: nil
        )
        #expect(url.absoluteString.contains("direct_sign_in=social%3Agithub"))
        #expect(throws: LogtoErrors.UriVerification.missingCode) {
            try LogtoCore.verifyAndParseSignInCallbackUri(
                try #require(URL(string: "io.logto.app://callback?state=s")),
                redirectUri: redirectUri,
                state: "s"
            )
        }
        #expect(LogtoUtilities.reservedScopes.contains(.openid) && UserScope(rawValue: "unheard-of") == nil)
        #expect(!LogtoUtilities.isOrganizationUrn(nil) && ReservedResource.organizations.rawValue.hasPrefix("urn:"))
        let config = try LogtoConfig(endpoint: "https://t.logto.app/tenant/", appId: "a", prompt: .login)
        #expect(config.endpoint.appendingPathComponent("oidc").absoluteString == "https://t.logto.app/tenant/oidc")
        let object: JsonObject = ["a": .number(1)]
        #expect(object["a"]?.numberValue == 1)
    }

    @Test("Version 1's LogtoClient.handle accepts a URL, and reports that no client waits")
    func handoff() throws {
        let url = try #require(URL(string: "io.logto://callback?code=c"))
        #expect(!LogtoClient.handle(forAppId: "a", url: url) && !LogtoClient.handle(url: url))
        #expect(!LogtoClient(useConfig: nil).handle(url: url))
    }
}
