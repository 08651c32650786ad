// swift-format-ignore-file
// The blocks stand here as they are printed.
import LogiAuth
import Testing

// Blocks of logi's document, word for word, in functions where a file has no place for statements.

private func signInBlock() async throws -> LogiSession {
LogiAuth.configure(LogiAuthConfig(
  clientId: "logi_xxx",
  redirectURI: URL(string: "myapp://oauth/1pass/callback")!,
  scopes: ["openid", "profile:basic", "email"]
))

let result = try await LogiAuth.signIn()
// result.idToken / result.accessToken / result.refreshToken
return result
}

private enum ClaimsBlock {
struct LogiClaims: Decodable {
    let sub: String
    let canonicalSub: String?
    let isCanonical: Bool?
    let linkedSubs: [String]?
    let previouslyAnonymous: Bool?
    let email: String?
    let emailVerified: Bool?
    let anonymous: Bool?

    enum CodingKeys: String, CodingKey {
        case sub
        case canonicalSub = "canonical_sub"
        case isCanonical = "is_canonical"
        case linkedSubs = "linked_subs"
        case previouslyAnonymous = "previously_anonymous"
        case email
        case emailVerified = "email_verified"
        case anonymous
    }

    var effectiveSub: String { canonicalSub ?? sub }
}
}

@Suite("logi's document with import LogiAuth")
struct LogiVendorModuleTests {
    @Test("The module LogiAuth has the document's names, and the type LogiAuth is found behind the module's name")
    func module() throws {
        let block: () async throws -> LogiSession = signInBlock
        _ = block
        let config = LogiAuthConfig(clientId: "logi_xxx", redirectURI: URL(string: "myapp://oauth/1pass/callback")!)
        #expect(config.scopes == ["openid", "profile:basic", "email"])
        #expect(!LogiAuth().handle(config.redirectURI))
        let text = Data(#"{"sub":"a","canonical_sub":"z"}"#.utf8)
        let own = try JSONDecoder().decode(ClaimsBlock.LogiClaims.self, from: text)
        #expect(try own.effectiveSub == JSONDecoder().decode(LogiClaims.self, from: text).effectiveSub)
    }
}
