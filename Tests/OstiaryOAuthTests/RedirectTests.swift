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

    @Test("Code and state are accepted, and parameters that nobody knows are ignored")
    func good() {
        #expect(failure { "com.example.app:/callback?code=c&state=\($0)&session_state=x&foo=1&foo=2" } == nil)
        #expect(failure { "COM.example.app:/callback?code=c&state=\($0)" } == nil)
    }

    @Test(
        "Another place is refused",
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

    @Test("Another scheme is refused, even at the same host and port")
    func scheme() {
        let web = failure(redirectURI: "https://app.example.com/callback") {
            "http://app.example.com:443/callback?code=c&state=\($0)"
        }
        #expect(web == mismatch(.redirect, .redirectURI))
        #expect(failure { "com.example.other:/callback?code=c&state=\($0)" } == mismatch(.redirect, .redirectURI))
    }

    @Test("The host's case and the scheme's own port make no other place")
    func samePlace() {
        for place in ["https://APP.example.com/callback", "https://app.example.com:443/callback"] {
            #expect(failure(redirectURI: "https://app.example.com/callback") { place + "?code=c&state=\($0)" } == nil)
        }
    }

    @Test("A redirect URI's own query has to come back")
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

    @Test("A wrong, a missing and a longer state are refused")
    func state() {
        #expect(failure { _ in "com.example.app:/callback?code=c&state=other" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?code=c" } == mismatch(.redirect, .state))
        #expect(failure { "com.example.app:/callback?code=c&state=\($0)1" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?code=c&state=" } == mismatch(.redirect, .state))
    }

    @Test("An error of somebody else is refused for its state before it is believed")
    func stateBeforeError() {
        #expect(failure { _ in "com.example.app:/callback?error=access_denied&state=x" } == mismatch(.redirect, .state))
        #expect(failure { _ in "com.example.app:/callback?error=access_denied" } == mismatch(.redirect, .state))
    }

    @Test(
        "A parameter that may occur once is refused when it occurs twice",
        arguments: ["state", "code", "iss", "error"]
    )
    func repeated(_ name: String) {
        let error = failure { state in
            let again = name == "state" ? "state=\(state)" : "\(name)=a&\(name)=b"
            return "com.example.app:/callback?code=c&state=\(state)&\(again)"
        }
        #expect(error == mismatch(.redirect, .repeatedParameter))
    }

    @Test("Another issuer is refused, on an error, too")
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

    @Test("No issuer is refused when the metadata promises one, on an error, too")
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

    @Test("An absent issuer is told as absent, and another one as another")
    func issuerSentences() {
        var server = Fixtures.server
        server.sendsIssuerInResponses = true
        let absent = failure(server: server) { "com.example.app:/callback?code=c&state=\($0)" }
        #expect(
            absent?.message == "The answer does not name its issuer (iss); expected: https://id.example.com."
        )
        let other = failure { "com.example.app:/callback?code=c&state=\($0)&iss=https://evil.example.com" }
        #expect(other?.message == "The answer comes from another issuer (iss).")
        #expect(other?.evidence?.found == "https://evil.example.com")
    }

    @Test(
        "Tokens and other responses in the redirect are refused",
        arguments: ["access_token", "id_token", "token", "response"]
    )
    func frontChannel(_ name: String) {
        #expect(
            failure { "com.example.app:/callback?code=c&state=\($0)&\(name)=x" }
                == mismatch(.redirect, .unexpectedParameter)
        )
    }

    @Test("Code and error together are refused")
    func codeAndError() {
        #expect(
            failure { "com.example.app:/callback?code=c&error=x&state=\($0)" }
                == mismatch(.redirect, .unexpectedParameter)
        )
    }

    @Test("The server's error is told, and a description that is repeated is not")
    func error() {
        let denied = failure { "com.example.app:/callback?error=access_denied&error_description=No+thanks&state=\($0)" }
        #expect(denied == SignInError(.redirect, .refused(OAuthError(code: .accessDenied, description: "No thanks"))))
        let repeated = failure {
            "com.example.app:/callback?error=access_denied&error_description=N&error_description=o&state=\($0)"
        }
        #expect(repeated == SignInError(.redirect, .refused(OAuthError(code: .accessDenied))))
    }

    @Test("Neither code nor error, and an empty code, are refused")
    func noCode() {
        #expect(failure { "com.example.app:/callback?state=\($0)" } == SignInError(.redirect, .malformed("code")))
        #expect(failure { "com.example.app:/callback?code=&state=\($0)" } == SignInError(.redirect, .malformed("code")))
    }

    @Test("A query that cannot be read is refused")
    func brokenQuery() {
        #expect(
            failure { "com.example.app:/callback?code=%FF&state=\($0)" }
                == SignInError(.redirect, .malformed("the redirect's query"))
        )
    }

    @Test("A URL is known as the answer by its place and its state alone")
    func isAnswered() throws {
        let pending = try Fixtures.pending()
        let state = try #require(Fixtures.query(pending)[.state])
        #expect(pending.isAnswered(by: URL(string: "com.example.app:/callback?error=x&state=\(state)")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/callback?code=x&state=other")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/elsewhere?code=x&state=\(state)")!))
        #expect(!pending.isAnswered(by: URL(string: "com.example.app:/callback?state=\(state)&state=\(state)")!))
    }
}
