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
        "The Bearer scheme is read in any case",
        arguments: ["Bearer abc", "bearer abc", "BEARER   abc"]
    )
    func scheme(_ value: String) { #expect(read(value) == .token(.bearer, Secret("abc"))) }

    @Test("A bearer token with every character of a b64token is read")
    func characters() { #expect(read("Bearer aZ09-._~+/==") == .token(.bearer, Secret("aZ09-._~+/=="))) }

    @Test(
        "A missing Authorization field, or another scheme, counts as no credentials",
        arguments: ["Basic YTpi", "DPoPabc", "Bearerabc", "abc", ""]
    )
    func absent(_ value: String) {
        #expect(read(value) == .absent)
        #expect(read() == .absent)
    }

    @Test(
        "A bearer token that is no b64token is malformed",
        arguments: [
            "Bearer", "Bearer =", "Bearer a=b", "Bearer a b", "Bearer a,b", "Bearer a, Bearer b", "Bearer é",
            "Bearer \"a\"",
        ]
    )
    func malformed(_ value: String) { #expect(read(value) == .malformed) }

    @Test("Two Authorization fields are malformed, even when one is valid")
    func repeated() {
        #expect(read("Bearer abc", "Bearer abc") == .malformed)
        #expect(read("Basic YTpi", "Bearer abc") == .malformed)
    }

    @Test("An Authorization field of 16 KiB is read, and a longer one is malformed")
    func size() {
        let longest = String(repeating: "a", count: AccessTokenCredentials.maximumBytes - "Bearer ".count)
        #expect(read("Bearer " + longest) == .token(.bearer, Secret(longest)))
        #expect(read("Bearer a" + longest) == .malformed)
    }

    @Test("Printing credentials shows no token")
    func description() { #expect(!"\(read("Bearer abc"))".contains("abc")) }

    @Test("A challenge has its quoted parameters in order")
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

    @Test("A challenge without parameters has an empty realm")
    func emptyChallenge() { #expect(AccessTokenChallenge().fieldValue == #"Bearer realm="""#) }

    @Test("A challenge's value cannot end its parameter or the field")
    func injection() {
        let challenge = AccessTokenChallenge(realm: "a\" , error=\"x\\\r\nSet-Cookie: a=b\n\u{301}é", scopes: ["a\"b"])
        #expect(challenge.fieldValue == #"Bearer realm="a , error=xSet-Cookie: a=b", scope="ab""#)
    }

    @Test("A challenge's parameters are read back by the client")
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
