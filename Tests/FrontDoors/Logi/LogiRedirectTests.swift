import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("logi: redirects back to the app")
struct LogiRedirectTests {
    @Test(
        "A redirect is checked by place, state and issuer before its error and its code",
        .covers(.logi, rows: 5, 8, cites: "L-4", "L-5", "L-15", "L-16", "L-17"),
        arguments: LogiRedirectRefusals.all.indices
    )
    func refusals(index: Int) async throws {
        let (text, reason, told) = LogiRedirectRefusals.all[index]
        let world = try LogiWorld()
        let browser = ScriptedUserAgent { (url, _) async throws(SignInError) -> URL in
            URL(string: text.replacing("{state}", with: url.logiQuery[.state] ?? "")) ?? url
        }
        let logi = try world.logi(browser: browser)
        let error = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        #expect(error == SignInError(.redirect, reason))
        #expect(LogiAuthError(try #require(error)) == told)
        #expect(world.wire.requests(to: "/oauth/token").isEmpty)
        #expect(world.store.calls(of: .write) == 0)
    }

    @Test("access_denied is a cancellation where the app configures it so", .covers(.logi, rows: 26))
    func denial() {
        let denied = SignInError(.redirect, .refused(OAuthError(code: .accessDenied)))
        #expect(LogiAuthError(denied) == .authorizationServerError(code: "access_denied", description: nil))
        #expect(LogiAuthError(denied, denial: .cancellation) == .userCancelled)
        let other = SignInError(.redirect, .refused(OAuthError(code: .serverError)))
        #expect(
            LogiAuthError(other, denial: .cancellation)
                == .authorizationServerError(code: "server_error", description: nil)
        )
    }

    @Test("A plus in the redirect is a space, and %2B a plus", .covers(.logi, rows: 3))
    func plus() async throws {
        let world = try LogiWorld()
        let browser = ScriptedUserAgent { (url, _) async throws(SignInError) -> URL in
            let query = "error=server_error&error_description=1+%2B+1&state=" + (url.logiQuery[.state] ?? "")
            return URL(string: "\(LogiWorld.redirectURI)?\(query)") ?? url
        }
        let logi = try world.logi(browser: browser)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(.redirect, .refused(OAuthError(code: .serverError, description: "1 + 1")))
        )
    }

    @Test(
        "A code is sent escaped, whatever is in it",
        .covers(.logi, rows: 3, cites: "L-1", "L-10")
    )
    func escaping() async throws {
        let world = try LogiWorld()
        let code = "a+b/c=d&e%f g;é"
        let browser = ScriptedUserAgent { (url, _) async throws(SignInError) -> URL in
            let query = "code=\(FormURLEncoding.escape(code))&state=" + (url.logiQuery[.state] ?? "")
            return URL(string: "\(LogiWorld.redirectURI)?\(query)") ?? url
        }
        let logi = try world.logi(browser: browser)
        _ = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        let request = try #require(world.wire.requests(to: "/oauth/token").first)
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        #expect(body.contains("code=a%2Bb%2Fc%3Dd%26e%25f%20g%3B%C3%A9&"))
        #expect(request.allFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.allFields[.accept] == "application/json")
    }

    @Test(
        "A browser that cannot start and an invalid configuration are two errors",
        .covers(.logi, rows: 20, cites: "L-6")
    )
    func noBrowser() async throws {
        let world = try LogiWorld()
        let auth = LogiAuth()
        let uri = try #require(URL(string: LogiWorld.redirectURI))
        let broken = ScriptedUserAgent { (_, _) async throws(SignInError) -> URL in
            throw SignInError(.authorization, .configuration("There is no window to show a page in."))
        }
        let config = LogiAuthConfig(clientId: LogiDevelopment.clientID, redirectURI: uri)
        auth.configure(config, on: LogiAuthPlatform(browser: broken, transport: world.wire, store: MemoryStore()))
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn() }
                == .webAuthSessionStartFailed
        )
        #expect(
            await thrownError { () async throws(LogiAuthError) in _ = try await auth.signIn(scopes: ["email"]) }
                == .invalidConfiguration("Ask for openid among the scopes.")
        )
    }
}

enum LogiRedirectRefusals {
    /// Redirects that a browser may return; `{state}` stands for the request's own.
    static let all: [(String, SignInError.Reason, LogiAuthError)] = [
        ("myapp://evil/1pass/callback?code=c&state={state}", .mismatch(.redirectURI), .redirectRefused(.redirectURI)),
        ("myapp://oauth/1pass/callback/?code=c&state={state}", .mismatch(.redirectURI), .redirectRefused(.redirectURI)),
        (
            "myapp://u@oauth/1pass/callback?code=c&state={state}", .mismatch(.redirectURI),
            .redirectRefused(.redirectURI)
        ),
        ("myapp://oauth/1pass/callback?code=c&state=other", .mismatch(.state), .stateMismatch),
        ("myapp://oauth/1pass/callback?code=c", .mismatch(.state), .stateMismatch),
        ("myapp://oauth/1pass/callback?error=access_denied&state=other", .mismatch(.state), .stateMismatch),
        (
            "myapp://oauth/1pass/callback?code=c&state={state}&state={state}", .mismatch(.repeatedParameter),
            .redirectRefused(.repeatedParameter)
        ),
        (
            "myapp://oauth/1pass/callback?code=c&code=d&state={state}", .mismatch(.repeatedParameter),
            .redirectRefused(.repeatedParameter)
        ),
        ("myapp://oauth/1pass/callback?state={state}", .malformed("code"), .missingCode),
        ("myapp://oauth/1pass/callback?code=&state={state}", .malformed("code"), .missingCode),
        (
            "myapp://oauth/1pass/callback?code=c&state={state}&iss=https://evil.example", .mismatch(.issuer),
            .redirectRefused(.issuer)
        ),
        (
            "myapp://oauth/1pass/callback?error=server_error&state={state}",
            .refused(OAuthError(code: .serverError)),
            .authorizationServerError(code: "server_error", description: nil)
        ),
    ]
}
