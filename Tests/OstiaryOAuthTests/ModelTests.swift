import Foundation
import OstiaryOAuth
import Testing

@Suite("Values of the model")
struct ModelTests {
    @Test(
        "An issuer is https, or http on this machine, without query, fragment or user",
        arguments: [
            "https://id.example.com", "https://id.example.com/", "https://id.example.com:8443/tenant/a",
            "http://127.0.0.1:4455",
            "http://localhost:4593/api/oidc", "http://[::1]:80",
        ]
    )
    func issuer(_ text: String) throws { #expect(try Issuer(text).description == text) }

    @Test(
        "Invalid issuer text is refused, and the error names the fix",
        arguments: [
            "", "id.example.com", "http://id.example.com", "http://127.0.0.1.evil.example",
            "https://id.example.com?x=1", "https://id.example.com#x",
            "https://u@id.example.com", "ftp://id.example.com", "https://", "https://id.exa mple.com",
            "http://localhost.evil.example", "https:///path", "https://id.example.com:99999999",
        ]
    )
    func noIssuer(_ text: String) {
        let error = signInError { _ = try Issuer(text) }
        #expect(error?.recovery == .fixConfiguration)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test("Issuers are compared by code points")
    func issuerEquality() throws {
        #expect(try Issuer("https://a.example.com") != Issuer("https://a.example.com/"))
        #expect(try Issuer("https://a.example.com") != Issuer("https://A.example.com"))
        #expect(try Issuer("https://a.example.com:443") != Issuer("https://a.example.com"))
        #expect(try Issuer("https://a.example.com/x") == Issuer("https://a.example.com/x"))
    }

    @Test(
        "A redirect URI of each kind is kept unchanged",
        arguments: [
            "com.example.app:/callback", "com.example.app://callback", "https://app.example.com/callback",
            "http://127.0.0.1/callback",
            "http://127.0.0.1:8765/callback", "http://[::1]/callback", "http://localhost:1234/",
            "http://127.0.0.1:65535/callback", "io.logto://callback",
        ]
    )
    func redirectURI(_ text: String) throws { #expect(try RedirectURI(text).description == text) }

    @Test(
        "An invalid redirect URI is refused when it is made",
        arguments: [
            "", "callback", "http://app.example.com/callback", "https:///callback", "my_app://callback",
            "javascript:alert(1)", "data:text/html,x",
            "http://127.0.0.1:65536/callback", "http://127.0.0.1:70000/callback",
            "com.example.app://host:99999/callback",
            "file:///tmp/x", "https://app.example.com/callback#x", "https://u@app.example.com/", "com.example.app:/a b",
        ]
    )
    func noRedirectURI(_ text: String) {
        #expect(signInError { _ = try RedirectURI(text) }?.recovery == .fixConfiguration)
    }

    @Test("A redirect URI scheme with an underscore is refused, with the reason")
    func underscore() {
        #expect(signInError { _ = try RedirectURI("logi_abc://x") }?.message.contains("underscore") == true)
    }

    @Test("A loopback redirect URI gives its port")
    func ports() throws {
        #expect(try RedirectURI("http://127.0.0.1/callback").port == nil)
        #expect(try RedirectURI("http://127.0.0.1:0/callback").port == nil)
        #expect(try RedirectURI("http://[::1]:8765/callback").port == 8765)
        #expect(
            try RedirectURI("http://127.0.0.1/callback?a=b").withPort(99)?.description
                == "http://127.0.0.1:99/callback?a=b"
        )
        #expect(try RedirectURI("https://app.example.com/").withPort(99) == nil)
    }

    @Test(
        "Form encoding escapes all but unreserved characters, and decoding restores the text",
        arguments: ["", "a b", "+", "%", "&=;/?:@", "ü😀", "\u{0}\n", "~-._", "a+b c%2B"]
    )
    func formEncoding(_ text: String) {
        let escaped = FormURLEncoding.escape(text)
        #expect(escaped.utf8.allSatisfy { $0 < 0x7F && !"+&=; /?:@".utf8.contains($0) })
        #expect(FormURLEncoding.unescape(escaped) == text)
    }

    @Test("Form decoding reads + as a space, and rejects broken escapes, invalid UTF-8 and oversized forms")
    func formDecoding() {
        #expect(
            FormURLEncoding.decode("a=b+c&d&e=f=g&&h=")?.pairs.map { "\($0.name.rawValue)|\($0.value)" } == [
                "a|b c", "d|", "e|f=g", "h|",
            ]
        )
        for broken in ["a=%", "a=%2", "a=%zz", "a=%ff", "%ff=a"] { #expect(FormURLEncoding.decode(broken) == nil) }
        #expect(FormURLEncoding.decode(String(repeating: "a", count: 65_537)) == nil)
        #expect(FormURLEncoding.decode(String(repeating: "a&", count: 257)) == nil)
        #expect(FormURLEncoding.decode(String(repeating: "a&", count: 256)) != nil)
    }

    @Test("Parameters keep their order, and setting one replaces it in place")
    func parameters() {
        var parameters: Parameters = ["a": "1", "b": "2", "a": "3"]
        parameters["a"] = "4"
        #expect(parameters.pairs.map(\.value) == ["4", "2"])
        parameters["b"] = nil
        #expect(parameters.names == ["a"])
    }

    @Test("A secret prints as redacted, and is read by reveal() only")
    func secret() {
        let secret = Secret("hush")
        var shown = "\(secret) \(String(reflecting: secret)) \([secret]) \(Optional(secret) as Any)"
        dump(secret, to: &shown)
        #expect(!shown.contains("hush"))
        #expect(secret.reveal() == "hush")
        #expect(secret == Secret("hush"))
        #expect(secret != Secret("husk"))
    }

    @Test("A scope list is read with each scope once")
    func scopes() { #expect(Scope.list(" openid  profile openid ") == [.openID, .profile]) }

    @Test(
        "Every error has its recovery",
        arguments: [
            (SignInError(.refresh, .refused(OAuthError(code: .invalidGrant))), SignInError.Recovery.signInAgain),
            (SignInError(.token, .refused(OAuthError(code: .invalidClient))), .fixConfiguration),
            (SignInError(.token, .refused(OAuthError(code: .temporarilyUnavailable))), .retry),
            (SignInError(.redirect, .refused(OAuthError(code: .accessDenied))), .retry),
            (SignInError(.token, .refused(OAuthError(code: .init(rawValue: "their_own")))), .none),
            (SignInError(.token, .server(status: 503)), .retry), (SignInError(.token, .server(status: 400)), .none),
            (SignInError(.discovery, .server(status: 404)), .fixConfiguration),
            (SignInError(.refresh, .transport(.unreachable)), .retry),
            (SignInError(.token, .transport(.insecureURL)), .fixConfiguration),
            (SignInError(.identity, .mismatch(.signature)), .none),
            (SignInError(.redirect, .mismatch(.state)), .signInAgain),
            (SignInError(.discovery, .mismatch(.metadataIssuer)), .fixConfiguration),
            (SignInError(.discovery, .malformed("x")), .fixConfiguration),
            (SignInError(.storage, .storage(.locked)), .retry),
            (SignInError(.storage, .storage(.corrupted)), .none),
            (SignInError(.refresh, .signInRequired), .signInAgain),
            (SignInError(.authorization, .cancelled), .retry), (SignInError(.authorization, .timedOut), .retry),
        ]
    )
    func recovery(_ error: SignInError, _ recovery: SignInError.Recovery) { #expect(error.recovery == recovery) }

    @Test("Every check has a message of its own")
    func sentences() {
        let sentences = SignInError.Check.allCases.map { SignInError(.identity, .mismatch($0)).message }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
    }

    @Test("A server's error text loses its control characters and is shortened")
    func oauthError() {
        let error = OAuthError(
            code: .init(rawValue: String(repeating: "c", count: 200)),
            description: "a\u{1B}[31mb\n" + String(repeating: "x", count: 900)
        )
        #expect(error.code.rawValue.count == 100)
        #expect(error.description?.hasPrefix("a[31mb") == true)
        #expect((error.description?.count ?? 0) <= 500)
    }
}
