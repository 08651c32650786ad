import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Rules that one client may break")
struct AllowedRulesTests {
    @Test("A client that may break one rule of the strict set is served that, is reported, and is refused the rest")
    func one() async throws {
        let world = try World { $0.clients[2].allowedRules = [.proofKeys] }
        let plain = Parameters.webAuthorization { $0[.codeChallenge] = nil }
        #expect(await world.browser().authorize(plain).loginPage != nil)
        #expect(world.log.admitted == [.proofKeys])
        let posted = Parameters.webAuthorization { $0[.responseMode] = "form_post" }
        #expect(await world.browser().authorize(posted).redirectError == "invalid_request")
    }

    @Test("A rule that some named rules are lenient in can be allowed to a client")
    func all() {
        for rule in ProviderRule.allCases where ProviderRules.oidc.isLenient(in: rule) {
            #expect(ProviderRules.fapi2.allowing([rule]).isLenient(in: rule), "\(rule)")
        }
        #expect(ProviderRules.strict.allowing([]) == .strict)
    }

    @Test("The start warns of the rules that a client may break")
    func warning() throws {
        let configuration = try Fixtures.configuration { $0.clients[2].allowedRules = [.proofKeys, .formPost] }
        let warning = configuration.warnings.first { $0.contains("web app") }
        #expect(warning?.contains("may break the rules formPost, proofKeys.") == true)
    }
}
