import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Rules of client authentication")
struct ClientAuthenticationRuleTests {
    private static let form: Parameters = [.grantType: "authorization_code", .code: "unknown"]
    private static let raw = basic("web app:p%ss: +word")

    private static func basic(_ pair: String) -> HTTPFields {
        [.authorization: "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    @Test("A raw Basic credential is refused under fapi2 as every secret is, whatever the configuration reads")
    func secretUnderFAPI() async throws {
        let world = try World {
            $0.rules = .fapi2
            $0.basicCredentials = .formEncodedOrRaw
        }
        #expect(await world.post("/token", Self.form, fields: Self.raw).error == "invalid_client")
        #expect(world.log.refusal?.rule == .authenticationMethods)
    }

    @Test("The secret of a client under fapi2 is refused without a hint when it is wrong")
    func wrongSecretUnderFAPI() async throws {
        let world = try World { $0.rules = .fapi2 }
        let wrong = Self.basic("web%20app:wrong")
        #expect(await world.post("/token", Self.form, fields: wrong).error == "invalid_client")
        #expect(world.log.refusal?.rule == nil)
    }

    @Test("A raw Basic credential is refused by strict with the rule, and without it when the secret is wrong")
    func rawUnderStrict() async throws {
        let world = try World()
        let refused = await world.post("/token", Self.form, fields: Self.raw)
        #expect(refused.error == "invalid_client")
        #expect(
            refused.json?["error_description"]
                == "The Basic credential is not form-encoded. --rules oidc accepts it."
        )
        #expect(world.log.refusal?.rule == .rawBasicCredentials)
        let wrong = Self.basic("web app:p%ss: +wor")
        #expect(await world.post("/token", Self.form, fields: wrong).error == "invalid_client")
        #expect(world.log.refusal?.rule == nil)
    }

    @Test("A raw Basic credential is judged by the rules of its own client")
    func rawOfOneClient() async throws {
        let world = try World { $0.clients[3].rules = .oidc }
        #expect(await world.post("/token", Self.form, fields: Self.raw).error == "invalid_client")
        #expect(world.log.refusal?.rule == .rawBasicCredentials)
        let other = try World { $0.clients[2].rules = .oidc }
        #expect(await other.post("/token", Self.form, fields: Self.raw).error == "invalid_grant")
        #expect(other.log.admitted == [.rawBasicCredentials])
    }

    @Test("A raw secret in the other place is served under oidc and reported as both")
    func rawInOtherPlace() async throws {
        let world = try World {
            $0.rules = .oidc
            $0.clients[3].authenticationMethod = .clientSecretPost(SecretDigest(of: Secret("p%ss")))
        }
        #expect(await world.post("/token", Self.form, fields: Self.basic("poster:p%ss")).error == "invalid_grant")
        #expect(world.log.admitted == [.rawBasicCredentials, .secretPlaces])
    }
}
