import HTTPTypes
import OstiaryServer
import Testing

@Suite("Bearer credentials and challenges")
struct BearerTests {
    private func read(_ values: String...) -> AccessTokenCredentials {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .authorization, value: value)) }
        return AccessTokenCredentials(in: fields)
    }

    @Test(
        "The scheme is read in any case, with one space or more",
        arguments: ["Bearer abc", "bearer abc", "BEARER   abc"]
    )
    func scheme(_ value: String) { #expect(read(value) == .token(.bearer, Secret("abc"))) }

    @Test("Every character of a b64token is read")
    func characters() { #expect(read("Bearer aZ09-._~+/==") == .token(.bearer, Secret("aZ09-._~+/=="))) }

    @Test(
        "No field, and another scheme, are no credentials",
        arguments: ["Basic YTpi", "DPoPabc", "Bearerabc", "abc", ""]
    )
    func absent(_ value: String) {
        #expect(read(value) == .absent)
        #expect(read() == .absent)
    }

    @Test(
        "What is no b64token is malformed",
        arguments: [
            "Bearer", "Bearer =", "Bearer a=b", "Bearer a b", "Bearer a,b", "Bearer a, Bearer b", "Bearer é",
            "Bearer \"a\"",
        ]
    )
    func malformed(_ value: String) { #expect(read(value) == .malformed) }

    @Test("Two fields are malformed, though both may be right")
    func repeated() {
        #expect(read("Bearer abc", "Bearer abc") == .malformed)
        #expect(read("Basic YTpi", "Bearer abc") == .malformed)
    }

    @Test("A field of 16 KiB is read, a longer one is not")
    func size() {
        let longest = String(repeating: "a", count: AccessTokenCredentials.maximumBytes - "Bearer ".count)
        #expect(read("Bearer " + longest) == .token(.bearer, Secret(longest)))
        #expect(read("Bearer a" + longest) == .malformed)
    }

    @Test("Printing credentials shows no token")
    func description() { #expect(!"\(read("Bearer abc"))".contains("abc")) }

    @Test("A challenge has its parameters in order, in quotation marks")
    func challenge() {
        let challenge = AccessTokenChallenge(
            realm: "api",
            error: .insufficientScope,
            errorDescription: "It covers too little.",
            scopes: ["orders:read", "orders:write"]
        )
        #expect(
            challenge.fieldValue
                == #"Bearer realm="api", error="insufficient_scope", error_description="It covers too little.", scope="orders:read orders:write""#
        )
    }

    @Test("A challenge with nothing to say still has a parameter")
    func emptyChallenge() { #expect(AccessTokenChallenge().fieldValue == #"Bearer realm="""#) }

    @Test("No value ends its parameter or the field")
    func injection() {
        let challenge = AccessTokenChallenge(realm: "a\" , error=\"x\\\r\nSet-Cookie: a=b\n\u{301}é", scopes: ["a\"b"])
        #expect(challenge.fieldValue == #"Bearer realm="a , error=xSet-Cookie: a=b", scope="ab""#)
    }

    @Test("A client reads from a challenge what was put into it")
    func roundTrip() throws {
        let challenge = AccessTokenChallenge(
            realm: "api",
            error: .invalidToken,
            errorDescription: "Old.",
            scopes: ["a", "b"]
        )
        let read = try #require(AuthenticateChallenge.list(in: challenge.fields).first)
        #expect(read.scheme == "bearer")
        #expect(
            read.parameters == ["realm": "api", "error": "invalid_token", "error_description": "Old.", "scope": "a b"]
        )
    }
}
