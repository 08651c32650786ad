import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("The Logto dialect of the development provider")
struct LogtoDialectTests {
    private func metadata(_ world: LogtoWorld) async throws -> JSONObject {
        let response = await world.provider.respond(
            to: ProviderRequest(path: "/oidc/.well-known/openid-configuration")
        )
        return try JSONObject(parsing: world.provider.body(of: response))
    }

    @Test("The Logto dialect's metadata has Logto's endpoints", .covers(.logto, rows: 1))
    func endpoints() async throws {
        let metadata = try await metadata(try LogtoWorld())
        let base = "https://tenant.logto.test/oidc"
        #expect(metadata["issuer"] == .string(base))
        for (name, path) in [
            ("authorization_endpoint", "/auth"), ("token_endpoint", "/token"), ("userinfo_endpoint", "/me"),
            ("jwks_uri", "/jwks"), ("revocation_endpoint", "/token/revocation"),
            ("end_session_endpoint", "/session/end"),
        ] { #expect(metadata[name] == .string(base + path)) }
        for name in ["device_authorization_endpoint", "registration_endpoint", "pushed_authorization_request_endpoint"]
        {
            #expect(metadata[name] == nil)
        }
    }

    @Test(
        "The Logto dialect rejects an invalid parameter of its own at the redirect URI",
        .covers(.logto, rows: 12),
        arguments: [
            ("first_screen", "sign-in"), ("identifier", "email postbox"), ("direct_sign_in", "github"),
            ("direct_sign_in", "social:"), ("theme", "blue"), ("interaction_mode", "x"),
        ]
    )
    func ownParameters(name: String, value: String) async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        let error = await thrownError { () throws(SignInError) in
            _ = try await logto.signIn(LogtoSignInOptions(extraParameters: [.init(rawValue: name): value]))
        }
        #expect(
            error?.logtoFailure
                == .authorizationError(
                    OAuthError(code: .invalidRequest, description: "The \(name) has an unknown value.")
                )
        )
    }

    @Test("The Logto dialect leaves out unknown scopes", .covers(.logto, rows: 13))
    func unknownScopes() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto(try world.config(scopes: ["nobody:knows", "email"])).signIn()
        #expect(!session.session.scopes.contains("nobody:knows") && session.session.scopes.contains(.email))
    }

    @Test(
        "The Logto dialect accepts a comma-separated list of resources, and rejects an unknown one",
        .covers(.logto, rows: 13)
    )
    func resources() async throws {
        let world = try LogtoWorld()
        let list = "\(LogtoWorld.shopping),\(LogtoWorld.store)"
        let session = try await world.logto(try world.config(resources: [list])).signIn()
        let config = try world.config(resources: [LogtoWorld.shopping, LogtoWorld.store])
        let restored = try #require(try await world.logto(config).restoreSession())
        #expect(try await restored.accessTokenClaims(for: LogtoWorld.store)?.audience == [LogtoWorld.store])
        #expect(session.end == nil)
        let error = await thrownError { () throws(SignInError) in
            _ = try await world.logtoForUnknownResource().signIn()
        }
        #expect(
            error?.logtoFailure
                == .authorizationError(OAuthError(code: .invalidTarget, description: "A resource is unknown here."))
        )
    }

    @Test("A user without rights at an API gets a token without scopes", .covers(.logto, rows: 13))
    func noRights() async throws {
        var dialect = LogtoDialect.development
        dialect.roles = ["shopper": []]
        let world = try LogtoWorld(dialect: dialect)
        let config = try world.config(scopes: ["read"], resources: [LogtoWorld.shopping])
        let session = try await world.logto(config).signIn()
        #expect(try await session.accessTokenClaims(for: LogtoWorld.shopping)?.scopes == [])
        let bob = try await world.logto(config, userAgent: world.person("bob")).signIn()
        #expect(try await bob.accessTokenClaims(for: LogtoWorld.shopping)?.scopes == ["read"])
    }

    @Test("A member with a second factor gets a token for an organization that requires one", .covers(.logto, rows: 14))
    func secondFactor() async throws {
        let world = try LogtoWorld(change: { $0.users[0].claims["mfa"] = true })
        let config = try world.config(scopes: ["read", UserScope.organizations.rawValue])
        let session = try await world.logto(config).signIn()
        #expect(try await session.accessTokenClaims(organizationID: "vault")?.scopes == ["read"])
    }
}

extension LogtoWorld {
    func logtoForUnknownResource() throws(SignInError) -> Logto {
        do {
            return try logto(try config(resources: ["https://unknown.example.com"]))
        } catch {
            throw error as? SignInError ?? SignInError(.discovery, .cancelled)
        }
    }
}
