import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Logto: claims")
struct LogtoClaimsTests {
    private static let everything = UserScope.allCases.map(\.rawValue)

    @Test("The ID token has what the scopes open and Logto puts there", .covers(.logto, rows: 52))
    func idToken() async throws {
        let world = try LogtoWorld()
        let claims = try #require(try await world.logto(try world.config(scopes: Self.everything)).signIn().claims)
        #expect(claims.sub == "user-alice" && claims.name == "Alice Liddell" && claims.username == "alice")
        #expect(claims.email == "alice@example.com" && claims.emailVerified == true)
        #expect(claims.phoneNumber == "+4915112345678" && claims.phoneNumberVerified == false)
        #expect(claims.phone == claims.phoneNumber)
        #expect(claims.roles == ["shopper"] && claims.organizations == ["acme", "vault"])
        #expect(claims.organizationRoles == ["acme:admin", "vault:guest"])
        #expect(claims.rolesByOrganization == ["acme": ["admin"], "vault": ["guest"]])
        #expect(claims.iss == "https://tenant.logto.test/oidc" && claims.aud == "logto-app")
        #expect(claims.exp - claims.iat == 3600 && claims.atHash != nil)
        #expect(claims.custom_data == nil && claims.identities == nil)
    }

    @Test("Times of the account are milliseconds", .covers(.logto, rows: 52))
    func milliseconds() async throws {
        let world = try LogtoWorld()
        let claims = try #require(try await world.logto().signIn().claims)
        #expect(claims.createdAt?.timeIntervalSince1970 == 1_715_000_000.123)
        #expect(claims.updatedAt?.timeIntervalSince1970 == 1_715_000_000.456)
    }

    @Test("A picture may be null, which is no picture and still a claim", .covers(.logto, rows: 52))
    func null() async throws {
        let world = try LogtoWorld()
        let claims = try #require(try await world.logto().signIn().claims)
        #expect(claims.picture == nil && claims.claims["picture"]?.isNull == true)
        #expect(claims["picture"]?.isNull == true && claims["no_such_claim"] == nil)
    }

    @Test("User info has the rest, and any claim by its own name", .covers(.logto, rows: 38, 52))
    func userInfo() async throws {
        let world = try LogtoWorld()
        let info = try await world.logto(try world.config(scopes: Self.everything)).signIn().userInfo()
        let custom = try #require(info.customData)
        #expect(custom["beta"] == .bool(true) && custom["level"] == .number(1) && custom["theme"] == .string("dark"))
        #expect(custom["tags"]?.arrayValue?.last?.isNull == true)
        #expect(info.custom_data?.objectValue == custom)
        #expect(info.identities?["github"]?.objectValue?["userId"]?.stringValue == "4711")
        #expect(info.ssoIdentities == [])
        #expect(
            info.organizationData?.map(\.name) == ["Acme", "Vault"] && info.organizationData?.first?.description == nil
        )
    }

    /// Alice with a value for each claim of her profile, and with an address.
    private static let profile: JSONObject = [
        "family_name": "Liddell", "given_name": "Alice", "middle_name": "Pleasance", "nickname": "Al",
        "preferred_username": "alice.l", "profile": "https://example.com/alice", "website": "https://alice.example",
        "gender": "female", "birthdate": "1852-05-04", "zoneinfo": "Europe/London", "locale": "en-GB",
        "picture": "https://example.com/alice.png",
    ]

    private func claims(of scopes: [String], in dialect: LogtoDialect = .development) async throws -> [any LogtoClaims]
    {
        let world = try LogtoWorld(dialect: dialect) { configuration in
            for (name, value) in Self.profile.members { configuration.users[0].claims[name] = value }
            configuration.users[0].claims["address"] = ["locality": "Oxford", "country": "UK"]
        }
        let session = try await world.logto(try world.config(scopes: scopes)).signIn()
        return [try #require(session.claims), try await session.userInfo()]
    }

    @Test("Every profile claim has its property, in the ID token and in the user info", .covers(.logto, rows: 52))
    func profileClaims() async throws {
        for claims in try await claims(of: []) {
            let read: [String: String?] = [
                "family_name": claims.familyName, "given_name": claims.givenName, "middle_name": claims.middleName,
                "nickname": claims.nickname, "preferred_username": claims.preferredUsername,
                "profile": claims.profile, "website": claims.website, "gender": claims.gender,
                "birthdate": claims.birthdate, "zoneinfo": claims.zoneinfo, "locale": claims.locale,
                "picture": claims.picture,
            ]
            for (name, value) in Self.profile.members { #expect(read[name] == value.string, "\(name)") }
            #expect(read.count == Self.profile.count && claims.address == nil)
        }
    }

    @Test("An empty profile claim reads as absent", .covers(.logto, rows: 52))
    func emptyProfile() async throws {
        let claims = try #require(try await LogtoWorld().logto().signIn().claims)
        #expect(claims.familyName == nil && claims["family_name"] == nil && claims.locale == nil)
    }

    @Test("The address scope returns the address, in the ID token and in the user info", .covers(.logto, rows: 52))
    func address() async throws {
        for claims in try await claims(of: [UserScope.address.rawValue]) {
            #expect(claims.address?["locality"] == .string("Oxford") && claims.address?["country"] == .string("UK"))
        }
    }

    @Test(
        "Claims that the tenant puts into the ID token have the properties of the user info",
        .covers(.logto, rows: 52)
    )
    func customIDToken() async throws {
        var dialect = LogtoDialect.development
        dialect.customIDTokenClaims = ["custom_data", "identities", "sso_identities", "organization_data"]
        let both = try await claims(of: Self.everything, in: dialect)
        for claims in both {
            #expect(claims.customData?["theme"] == .string("dark") && claims.identities?["github"] != nil)
            #expect(claims.ssoIdentities == [] && claims.organizationData?.map(\.id) == ["acme", "vault"])
        }
        #expect(both.first is IdTokenClaims)
    }

    @Test(
        "User info for another subject is rejected, and the session is kept",
        .covers(.logto, rows: 38),
        arguments: [Scenario.userInfoInvalidSubject, .userInfoMissingSubject]
    )
    func somebodyElse(_ scenario: Scenario) async throws {
        let world = try LogtoWorld(scenario: scenario)
        let session = try await world.logto().signIn()
        let error = await thrownError { () throws(SignInError) in _ = try await session.userInfo() }
        #expect(error == SignInError(.userInfo, .mismatch(.subject)) && session.end == nil)
        #expect(error?.logtoFailure == .idTokenInvalid(.subject))
    }

    @Test("A Boolean claim is decoded as a Boolean, not as a number")
    func booleans() throws {
        let json = Data(#"{"a": true, "b": 1, "c": 0, "d": false, "e": 1.5, "f": null, "g": ["x", {"h": null}]}"#.utf8)
        let object = try JSONDecoder().decode(JsonObject.self, from: json)
        #expect(object["a"] == .bool(true) && object["b"] == .number(1) && object["c"] == .number(0))
        #expect(object["d"] == .bool(false) && object["e"]?.numberValue == 1.5 && object["f"] == .null)
        #expect(object["g"]?.arrayValue?.last?.objectValue?["h"]?.isNull == true)
        let again = try JSONDecoder().decode(JsonObject.self, from: try JSONEncoder().encode(object))
        #expect(again == object)
        #expect(object["a"]?.numberValue == nil && object["b"]?.boolValue == nil)
    }

    @Test(
        "An organization role may contain a colon, and one without an organization is left out",
        .covers(.logto, rows: 14)
    )
    func roles() throws {
        let payload: JSONObject = ["organization_roles": ["acme:a:b", "broken", "acme:c"]]
        let claims = try LogtoUtilities.decodeIdToken("e30.\(Base64URL.encode(payload.encoded())).")
        #expect(claims.rolesByOrganization == ["acme": ["a:b", "c"]])
    }
}

@Suite("Logto: scopes and resources")
struct LogtoConfigTests {
    @Test(
        "The reserved scopes are always asked for, each scope once, in order",
        .covers(.logto, rows: 13)
    )
    func scopes() throws {
        func scopes(_ scopes: [String]) throws -> [String] {
            try LogtoConfig(endpoint: "https://t.logto.app", appId: "a", scopes: scopes).scopes
        }
        let reserved = ["openid", "offline_access", "profile"]
        #expect(try scopes([]) == reserved)
        #expect(
            try scopes(["email", "openid", "email", "read write\tread", "", " "]) == reserved + [
                "email", "read", "write",
            ]
        )
        #expect(LogtoUtilities.withReservedScopes(["a", "profile"]) == reserved + ["a"])
        #expect(LogtoUtilities.reservedScopes.map(\.rawValue) == reserved)
    }

    @Test("The reserved scopes can be left out", .covers(.logto, rows: 9))
    func withoutReserved() async throws {
        let world = try LogtoWorld()
        let config = try world.config(scopes: ["profile"]) { $0.reservedScopes = .onlyAsNamed }
        #expect(config.scopes == ["profile"] && config.advice.count == 1)
        let session = try await world.logto(config).signIn()
        #expect(world.pages.parameters()[.scope] == "profile" && world.pages.parameters()[.nonce] == nil)
        #expect(session.claims == nil)
    }

    @Test(
        "With the organizations scope the reserved resource is requested once",
        .covers(.logto, rows: 13, 14)
    )
    func resources() async throws {
        let world = try LogtoWorld()
        let shopping = LogtoWorld.shopping
        #expect(try world.config(resources: [shopping, "", shopping]).resources == [shopping])
        let organizations = ReservedResource.organizations.rawValue
        let config = try world.config(scopes: [UserScope.organizations.rawValue], resources: [shopping])
        #expect(config.resources == [shopping, organizations])
        #expect(
            try world.config(scopes: [UserScope.organizations.rawValue], resources: [organizations]).resources
                == [organizations]
        )
        _ = try await world.logto(config).signIn()
        #expect(world.pages.parameters().values(of: .resource) == [shopping, organizations])
    }

    @Test("A LogtoConfig has the documented default values", .covers(.logto, rows: 9, 24, 30))
    func defaults() throws {
        let config = try LogtoConfig(endpoint: "https://t.logto.app", appId: "a")
        #expect(config.prompt == .consent && config.usingPersistStorage && !config.prefersEphemeralWebBrowserSession)
        #expect(
            config.clockTolerance == .seconds(60) && config.endSessionHint == .idToken
                && config.issuer == "https://t.logto.app/oidc"
        )
        #expect(SessionPolicy().browserDeadline == .seconds(300))
    }

    @Test("A LogtoConfig carries the option for a private browser", .covers(.logto, rows: 24))
    func ephemeral() throws {
        let config = try LogtoConfig(
            endpoint: "https://t.logto.app",
            appId: "a",
            prefersEphemeralWebBrowserSession: true
        )
        #expect(config.prefersEphemeralWebBrowserSession)
    }

    @Test(
        "A LogtoConfig with an endpoint that is no https URL throws invalidEndpoint",
        .covers(.logto, rows: 1),
        arguments: [
            "", "tenant.logto.app", "http://tenant.logto.app", "https://", "https://t.logto.app?x=1",
            "https://u@t.logto.app",
        ]
    )
    func endpoints(endpoint: String) {
        #expect(throws: LogtoErrors.UrlConstruction.invalidEndpoint) { try LogtoConfig(endpoint: endpoint, appId: "a") }
    }

    @Test(
        "A LogtoConfig with an empty app identifier or a relative resource is refused",
        .covers(.logto, rows: 13)
    )
    func others() {
        #expect(throws: SignInError.self) { try LogtoConfig(endpoint: "https://t.logto.app", appId: "") }
        #expect(throws: SignInError.self) {
            try LogtoConfig(endpoint: "https://t.logto.app", appId: "a", resources: ["api"])
        }
    }

    @Test("Version 1 and version 2 of Logto's SDK spell scopes in their own ways", .covers(.logto, rows: 13))
    func spellings() {
        #expect(UserScope.Email == .email && UserScope.Email.rawValue == "email")
        #expect(UserScope.CustomData.rawValue == "custom_data")
        #expect(UserScope.organizationRoles.rawValue == "urn:logto:scope:organization_roles")
    }
}
