import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Inputs found by fuzzing")
struct VectorsFoundTests {
    @Test("Form decoding splits at & and =, also before a combining accent")
    func accents() throws {
        let form = try #require(FormURLEncoding.decode("a=b&\u{301}c=d&e=\u{301}f"))
        #expect(form.pairs.map(\.name.rawValue) == ["a", "\u{301}c", "e"])
        #expect(form.pairs.map(\.value) == ["b", "d", "\u{301}f"])
    }

    @Test("The text before a redirect URI's first colon must be spelled like a scheme")
    func schemes() {
        for text in ["p//t:ht%40127.0://localhost/c0", "a/b:/callback", "a%2Db:/callback", "a?b:/callback"] {
            #expect(throws: SignInError.self) { try RedirectURI(text) }
        }
        #expect(throws: Never.self) { try RedirectURI("web+app.v1-x:/callback") }
    }

    @Test(
        "A host that parsers read differently is refused in an issuer and a redirect URI",
        arguments: [
            "https://%69d.example/a", "https://h%90st.example", "https://id.example\\.evil.example/",
            "https://id.example|evil.example/", "https://[fe80::1%25eth0]/", "https://[::1'2]/",
        ]
    )
    func hosts(text: String) {
        #expect(throws: SignInError.self) { try Issuer(text) }
        #expect(throws: SignInError.self) { try RedirectURI(text) }
    }

    @Test("A time claim beyond any integer fails the sign-in without a trap", arguments: ["exp", "nbf", "iat"])
    func hugeTimes(claim: String) throws {
        for time in [1e300, -1e300, 1e19] {
            let failure = signInError {
                _ = try Fixtures.signIn(changing: { $0[claim] = .number(time) })
            }
            #expect(failure == nil || failure?.stage == .identity)
        }
    }

    @Test("A client can accept ID tokens of any age")
    func anyAge() throws {
        let client = Fixtures.client(validation: Client.ValidationPolicy(maximumIDTokenAge: .seconds(Int64.max)))
        #expect(throws: Never.self) { try Fixtures.signIn(client: client) }
    }

    @Test(
        "A bracketed host that is no IPv6 address is refused",
        arguments: [
            "[]", "[:]", "[::1::]", "[1.2.3.4]", "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[12345::]",
            "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]", "[::g]", "[fe80::1%25eth0]", "[1.2.3.4::]",
        ]
    )
    func brackets(host: String) {
        #expect(throws: SignInError.self) { try Issuer("https://\(host)/") }
    }

    @Test(
        "A bracketed IPv6 address is accepted as a host",
        arguments: [
            "[::]", "[::1]", "[2001:DB8::1]", "[1:2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:1.2.3.4]",
        ]
    )
    func addresses(host: String) {
        #expect(throws: Never.self) { try Issuer("https://\(host)/") }
    }
}
