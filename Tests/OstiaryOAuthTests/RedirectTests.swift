import Foundation
import OstiaryOAuth
import Testing

@Suite("The redirect that answers an authorization request")
struct RedirectTests {
    private func failure(
        redirectURI: String = "com.example.app:/callback",
        server: AuthorizationServer = Fixtures.server,
        _ url: (String) -> String
    ) -> SignInError? {
        signInError {
            let pending = try Fixtures.pending(client: Fixtures.client(redirectURI: redirectURI), server: server)
            _ = try pending.grant(from: URL(string: url(Fixtures.query(pending)[.state]!))!)
        }
    }

    @Test("A redirect with code and state is accepted, and unknown parameters are ignored")
    func good() {
        #expect(failure { "com.example.app:/callback?code=c&state=\($0)&session_state=x&foo=1&foo=2" } == nil)
        #expect(failure { "COM.example.app:/callback?code=c&state=\($0)" } == nil)
    }

    @Test(
        "A redirect to another place is rejected",
        arguments: [
            "https://evil.example.com/callback", "https://app.example.com/callback/",
            "https://app.example.com/callback2",
            "https://app.example.com:8443/callback", "http://app.example.com/callback",
            "https://user@app.example.com/callback",
            "https://app.example.com/other/../callback", "https://app.example.com/Callback",
            "https://app.example.com.evil/callback",
        ]
    )
    func place(_ place: String) {
        let error = failure(redirectURI: "https://app.example.com/callback") { place + "?code=c&state=\($0)" }
        #expect(error == mismatch(.redirect, .redirectURI))
    }

    @Test("A redirect to another scheme is rejected, even at the same host and port")
    func scheme() {
        let web = failure(redirectURI: "https://app.example.com/callback") {
            "http://app.example.com:443/callback?code=c&state=\($0)"
        }
        #expect(web == mismatch(.redirect, .redirectURI))
        #expect(failure { "com.example.other:/callback?code=c&state=\($0)" } == mismatch(.redirect, .redirectURI))
    }

    @Test("A redirect matches whatever the host's case and with the scheme's default port")
    func samePlace() {
        for place in ["https://APP.example.com/callback", "https://app.example.com:443/callback"] {
            #expect(failure(redirectURI: "https://app.example.com/callback") { place + "?code=c&state=\($0)" } == nil)
        }
    }

    @Test("A redirect without the redirect URI's own query is rejected")
    func ownQuery() {
        let uri = "https://app.example.com/callback?tenant=a"
        #expect(failure(redirectURI: uri) { uri + "&code=c&state=\($0)" } == nil)
        #expect(
            failure(redirectURI: uri) { "https://app.example.com/callback?tenant=b&code=c&state=\($0)" }
                == mismatch(.redirect, .redirectURI)
        )
        #expect(
            failure(redirectURI: uri) { "https://app.example.com/callback?code=c&state=\($0)" }
                == mismatch(.redirect, .redirectURI)
        )
    }

    @Test("A redirect with a wrong, a missing or a longer state is rejected")
    func state() {
        #expect(failure { _ in "com.example.app:/callback?code=c&state=other" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?code=c" } == mismatch(.redirect, .state))
        #expect(failure { "com.example.app:/callback?code=c&state=\($0)1" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?code=c&state=" } == mismatch(.redirect, .state))
    }

    @Test("A redirect with an error and another state is rejected for its state")
    func stateBeforeError() {
        #expect(failure { _ in "com.example.app:/callback?error=access_denied&state=x" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?error=access_denied" } == mismatch(.redirect, .state))
    }

    @Test(
        "A redirect that repeats a single parameter is rejected",
        arguments: ["state", "code", "iss", "error"]
    )
    func repeated(_ name: String) {
        let error = failure { state in
            let again = name == "state" ? "state=\(state)" : "\(name)=a&\(name)=b"
            return "com.example.app:/callback?code=c&state=\(state)&\(again)"
        }
        #expect(error == mismatch(.redirect, .repeatedParameter))
    }

    @Test("A redirect from another issuer is rejected, also with an error")
    func issuer() {
        #expect(
            failure { "com.example.app:/callback?code=c&state=\($0)&iss=https%3A%2F%2Fid.example.com1" }
                == mismatch(.redirect, .issuer)
        )
        #expect(
            failure { "com.example.app:/callback?error=server_error&state=\($0)&iss=https://evil.example.com" }
                == mismatch(.redirect, .issuer)
        )
        #expect(failure { "com.example.app:/callback?code=c&state=\($0)&iss=https://id.example.com" } == nil)
    }

    @Test("A redirect without the promised issuer is rejected, also with an error")
    func missingIssuer() {
        var server = Fixtures.server
        server.sendsIssuerInResponses = true
        #expect(
            failure(server: server) { "com.example.app:/callback?code=c&state=\($0)" } == mismatch(.redirect, .issuer)
        )
        #expect(
            failure(server: server) { "com.example.app:/callback?error=x&state=\($0)" } == mismatch(.redirect, .issuer)
        )
    }

    @Test("A redirect's missing issuer and another issuer have two messages")
    func issuerSentences() {
        var server = Fixtures.server
        server.sendsIssuerInResponses = true
        let absent = failure(server: server) { "com.example.app:/callback?code=c&state=\($0)" }
        #expect(
            absent?.message == "The response does not name its issuer (iss); expected: https://id.example.com."
        )
        let other = failure { "com.example.app:/callback?code=c&state=\($0)&iss=https://evil.example.com" }
        #expect(other?.message == "The response is from another issuer (iss).")
        #expect(other?.evidence?.found == "https://evil.example.com")
    }

    @Test(
        "A redirect with tokens or other responses is rejected",
        arguments: ["access_token", "id_token", "token", "response"]
    )
    func frontChannel(_ name: String) {
        #expect(
            failure { "com.example.app:/callback?code=c&state=\($0)&\(name)=x" }
                == mismatch(.redirect, .unexpectedParameter)
        )
    }

    @Test("A redirect with both a code and an error is rejected")
    func codeAndError() {
        #expect(
            failure { "com.example.app:/callback?code=c&error=x&state=\($0)" }
                == mismatch(.redirect, .unexpectedParameter)
        )
    }

    @Test("A redirect's error is reported with its description, and a repeated description is dropped")
    func error() {
        let denied = failure { "com.example.app:/callback?error=access_denied&error_description=No+thanks&state=\($0)" }
        #expect(denied == SignInError(.redirect, .refused(OAuthError(code: .accessDenied, description: "No thanks"))))
        let repeated = failure {
            "com.example.app:/callback?error=access_denied&error_description=N&error_description=o&state=\($0)"
        }
        #expect(repeated == SignInError(.redirect, .refused(OAuthError(code: .accessDenied))))
    }

    @Test("A redirect without code and error, or with an empty code, is malformed")
    func noCode() {
        #expect(failure { "com.example.app:/callback?state=\($0)" } == SignInError(.redirect, .malformed("code")))
        #expect(failure { "com.example.app:/callback?code=&state=\($0)" } == SignInError(.redirect, .malformed("code")))
    }

    @Test("A redirect whose query cannot be decoded is rejected")
    func brokenQuery() {
        #expect(
            failure { "com.example.app:/callback?code=%FF&state=\($0)" }
                == SignInError(.redirect, .malformed("the redirect's query"))
        )
    }

    @Test("A redirect is recognized by its redirect URI and its state alone")
    func isAnswered() throws {
        let pending = try Fixtures.pending()
        let state = try #require(Fixtures.query(pending)[.state])
        #expect(pending.isAnswered(by: URL(string: "com.example.app:/callback?error=x&state=\(state)")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/callback?code=x&state=other")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/elsewhere?code=x&state=\(state)")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/callback?state=\(state)&state=\(state)")!))
    }
}
