import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Profiles of access tokens")
struct AccessTokenProfileTests {
    private func verdict(_ token: String, _ policy: AccessTokenPolicy) -> AccessTokenVerdict {
        AccessTokenVerifier(policy).verify(token, by: Fixtures.keys, now: Fixtures.now)
    }

    private func isRefused(_ make: () throws(SignInError) -> Void) -> Bool {
        do throws(SignInError) {
            try make()
            return false
        } catch {
            if case .configuration = error.reason { return error.stage == .token }
            return false
        }
    }

    // MARK: Every profile

    @Test("A vendor's published access token is accepted by the vendor's profile", arguments: VendorTokens.all)
    func accepted(_ vendor: VendorTokens) throws {
        let token = try #require(verdict(vendor.token(), vendor.policy).token)
        #expect(token.issuer == vendor.issuer && !token.subject.isEmpty && token.profile == vendor.profile)
    }

    @Test("An ID token of the same issuer is rejected, whatever its audience", arguments: VendorTokens.all)
    func idToken(_ vendor: VendorTokens) throws {
        #expect(verdict(vendor.idToken(), vendor.policy).check == .type)
        // The worst that a configuration can do: the API is known by the client's identifier.
        #expect(verdict(vendor.idToken { $0["aud"] = vendor.access["aud"] }, vendor.policy).check == .type)
        // And all that an access token has but its mark.
        let dressed = vendor.idToken {
            for name in ["aud", "azp", "client_id", "jti", "sub", "uti"] { $0[name] = vendor.access[name] ?? $0[name] }
        }
        #expect(verdict(dressed, vendor.policy).check == .type)
    }

    @Test("An ID token with the access tokens' typ is rejected for its missing mark", arguments: VendorTokens.all)
    func mark(_ vendor: VendorTokens) {
        guard vendor.type != "at+jwt" else { return }
        let refusal = verdict(vendor.idToken { $0["aud"] = vendor.access["aud"] }, vendor.policy).refusal
        #expect(refusal?.check == .type && refusal?.form?.fitting == nil)
    }

    @Test(
        "A token of another type is rejected although it has the mark",
        arguments: VendorTokens.all,
        ["logout+jwt", "dpop+jwt", "application/okta-internal-at+jwt", ""]
    )
    func type(_ vendor: VendorTokens, _ type: String) {
        #expect(verdict(vendor.token(type: type), vendor.policy).check == .type)
    }

    @Test("A token rejected for its form names the profile that it fits", arguments: VendorTokens.all)
    func fitting(_ vendor: VendorTokens) {
        guard vendor.profile != .auth0 else { return }
        let policy = try! AccessTokenPolicy(issuer: Issuer(vendor.issuer), audience: vendor.audiences[0])
        let form = verdict(vendor.token(), policy).refusal?.form
        #expect(form?.found == vendor.type && form?.expected == ["at+jwt"] && form?.profile == "rfc9068")
        #expect(form?.fitting == vendor.profile.name)
        #expect(verdict(vendor.idToken(), policy).refusal?.form?.fitting == nil)
    }

    @Test("A token of Auth0's default profile fits no profile, since ID tokens may look the same")
    func auth0Default() {
        let vendor = VendorTokens.auth0
        let token = vendor.token(type: "JWT") {
            $0["azp"] = $0["client_id"]
            $0["client_id"] = nil
            $0["jti"] = nil
        }
        let refusal = verdict(token, vendor.policy).refusal
        #expect(refusal?.check == .type && refusal?.form?.fitting == nil)
    }

    @Test("A refusal's log line shows the token's typ without line breaks, in at most 64 characters")
    func line() {
        let token = Fixtures.token(type: "a\nb" + String(repeating: "c", count: 100))
        let form = verdict(token, Fixtures.policy()).refusal?.form
        #expect(form?.found == "a?b" + String(repeating: "c", count: 61))
        #expect(form?.description.contains("\n") == false)
    }

    @Test(
        "A claim that the server's profile guarantees is required",
        arguments: [
            (VendorTokens.keycloak, "azp", .clientID), (.keycloak, "sub", .subject), (.keycloak, "jti", .tokenID),
            (.keycloak, "iat", .issuedAt), (.entra, "azp", .clientID), (.entra, "sub", .subject),
            (.okta, "jti", .tokenID),
            (.okta, "sub", .subject), (.cognito, "sub", .subject), (.cognito, "iat", .issuedAt),
            (.spring, "jti", .tokenID), (.spring, "sub", .subject),
        ] as [(VendorTokens, String, AccessTokenRefusal.Check)]
    )
    func required(_ vendor: VendorTokens, _ name: String, _ check: AccessTokenRefusal.Check) {
        #expect(verdict(vendor.token { $0[name] = nil }, vendor.policy).check == check)
        #expect(verdict(vendor.token { $0[name] = "" }, vendor.policy).check == check)
    }

    // MARK: Parts

    @Test("Client, scopes, roles and groups are read where each server has them")
    func parts() throws {
        func token(_ vendor: VendorTokens) throws -> VerifiedAccessToken {
            try #require(verdict(vendor.token(), vendor.policy).token)
        }
        let keycloak = try token(.keycloak)
        #expect(keycloak.clientID == "native" && keycloak.scopes == ["openid", "profile", "email"])
        #expect(keycloak.roles == ["offline_access", "uma_authorization"] && keycloak.groups == ["/staff"])
        #expect(keycloak.roles(at: "account") == ["manage-account", "view-profile"])
        #expect(keycloak.roles(at: "other").isEmpty)
        let entra = try token(.entra)
        #expect(entra.clientID == "00001111-aaaa-2222-bbbb-3333cccc4444" && entra.tokenID == "fqiBqXLPj0eQa82S-IYFAA")
        #expect(entra.scopes == ["access_as_user", "orders.read"] && entra.roles == ["Orders.Admin"])
        #expect(entra.groups == ["0760b6cf"] && entra.roles(at: "account").isEmpty)
        let okta = try token(.okta)
        #expect(okta.clientID == "nmdP1fcyvdVO11AL7ECm" && okta.groups == ["Everyone"])
        #expect(okta.scopes == ["openid", "email", "flights", "custom"])
        let cognito = try token(.cognito)
        #expect(cognito.clientID == "xxxxxxxxxxxxexample" && cognito.groups == ["testgroup"] && cognito.roles.isEmpty)
        let spring = try token(.spring)
        #expect(spring.clientID.isEmpty && spring.scopes == ["openid", "profile", "email"])
    }

    @Test("A scope in a form that the profile does not have grants nothing")
    func scopes() throws {
        let okta = try VendorTokens.okta.policy(scopes: ["flights"])
        #expect(verdict(VendorTokens.okta.token(), okta).check == nil)
        #expect(verdict(VendorTokens.okta.token { $0["scp"] = "flights" }, okta).check == .scope)
        #expect(verdict(VendorTokens.okta.token { $0["scp"] = ["a flights", "é"] }, okta).check == .scope)
        let entra = try VendorTokens.entra.policy(scopes: ["orders.read"])
        #expect(verdict(VendorTokens.entra.token { $0["scp"] = ["orders.read"] }, entra).check == .scope)
    }

    @Test("A token of the client itself is recognized in each server's form")
    func principals() throws {
        func principal(
            _ vendor: VendorTokens,
            _ change: (inout JSONObject) -> Void
        ) throws -> VerifiedAccessToken.Principal {
            try #require(verdict(vendor.token(change), vendor.policy).token).principal
        }
        #expect(try principal(.okta) { $0["sub"] = $0["cid"] } == .client("nmdP1fcyvdVO11AL7ECm"))
        #expect(try principal(.auth0) { $0["sub"] = "my_client_id@clients" } == .client("my_client_id"))
        #expect(try principal(.auth0) { _ in } == .resourceOwner("auth0|123456"))
        #expect(try principal(.cognito) { $0["sub"] = $0["client_id"] } == .client("xxxxxxxxxxxxexample"))
        #expect(
            try principal(.entra) {
                $0["scp"] = nil
                $0["idtyp"] = "app"
            } == .client("00001111-aaaa-2222-bbbb-3333cccc4444")
        )
        #expect(try principal(.spring) { $0["sub"] = "web" } == .resourceOwner("web"))
    }

    // MARK: Entra

    @Test("An Entra version 1 token of the tenant is accepted, and its issuer is the policy's")
    func entraVersion1() throws {
        let token = VendorTokens.entra.token {
            $0["iss"] = .string("https://sts.windows.net/\(VendorTokens.tenant)/")
            $0["aud"] = "api://6e74172b-be56-4843-9ff4-e66a39bb12e3"
            $0["appid"] = $0["azp"]
            $0["azp"] = nil
        }
        let accepted = try #require(verdict(token, VendorTokens.entra.policy).token)
        #expect(accepted.issuer == VendorTokens.entra.issuer)
        #expect(accepted.clientID == "00001111-aaaa-2222-bbbb-3333cccc4444")
    }

    @Test(
        "An Entra token of another tenant is rejected",
        arguments: [
            "https://sts.windows.net/11111111-2222-3333-4444-555555555555/",
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
            "https://sts.windows.net/\(VendorTokens.tenant)", "https://sts.windows.net/{tenantid}/",
        ]
    )
    func entraTenant(_ issuer: String) {
        #expect(
            verdict(VendorTokens.entra.token { $0["iss"] = .string(issuer) }, VendorTokens.entra.policy).check
                == .issuer
        )
    }

    @Test("An Entra token is not marked by roles, or by an idtyp other than app", arguments: ["user", nil])
    func entraRoles(_ kind: String?) {
        let token = VendorTokens.entra.token {
            $0["scp"] = nil
            $0["idtyp"] = kind.map(JSONValue.string)
        }
        #expect(verdict(token, VendorTokens.entra.policy).check == .type)
    }

    @Test("An Entra profile is for the one tenant that the policy's issuer names")
    func entraConfiguration() throws {
        for tenant in [
            "common", "organizations", "contoso.onmicrosoft.com", "", "aaaabbbb-0000-cccc-1111-dddd2222eeeg",
        ] {
            #expect(isRefused { () throws(SignInError) in _ = try AccessTokenProfile.entra(tenant: tenant) })
        }
        let profile = try AccessTokenProfile.entra(tenant: VendorTokens.tenant.uppercased())
        let own = try Issuer(VendorTokens.entra.issuer)
        for issuers in [[Fixtures.issuer], [own, Fixtures.issuer]] {
            #expect(
                isRefused { () throws(SignInError) in
                    _ = try AccessTokenPolicy(issuers: issuers, audience: "a", profile: profile)
                }
            )
        }
        #expect(try AccessTokenProfile.named("entra", issuer: own) == profile)
        let common = try Issuer("https://login.microsoftonline.com/common/v2.0")
        #expect(isRefused { () throws(SignInError) in _ = try AccessTokenProfile.named("entra", issuer: common) })
    }

    @Test("An issuer's keys do not verify another issuer's alternative name, also not from the cache")
    func otherNames() async throws {
        let vendor = VendorTokens.entra
        let own = ScriptedTransport()
        let strangers = ScriptedTransport()
        let strangersKey = try SigningKey.generate(.es256, keyID: "key-1")
        let strangersIssuer = try Issuer("https://evil.example/\(VendorTokens.tenant)")
        strangers.publish(JSONWebKeySet([strangersKey.publicKey]))
        func keys(_ issuer: Issuer, _ transport: ScriptedTransport) throws -> KeySource {
            let server = AuthorizationServer(issuer: issuer, jwksURI: URL(string: "https://id.example.com/jwks"))
            return try KeySource(issuer: issuer, server: server, transport: transport, clock: Fixtures.clock)
        }
        let server = ResourceServer(
            keys: [try keys(Issuer(vendor.issuer), own), try keys(strangersIssuer, strangers)],
            clock: Fixtures.clock
        )
        let resource = try server.resource(vendor.policy)
        let strangersResource = try server.resource(
            AccessTokenPolicy(issuers: [strangersIssuer], audiences: vendor.audiences, profile: vendor.profile)
        )
        let first = Fixtures.bearer(
            vendor.token { $0["iss"] = .string("https://sts.windows.net/\(VendorTokens.tenant)/") }
        )
        for _ in 0..<2 {
            guard case .granted = await resource.authorize(fields: first) else {
                Issue.record("The tenant's own token was refused.")
                return
            }
        }
        var claims = vendor.access
        claims["iss"] = .string("https://sts.windows.net/\(VendorTokens.tenant)/")
        claims["iat"] = .integer(Fixtures.time)
        claims["exp"] = .integer(Fixtures.time + 300)
        let forged = Fixtures.bearer(try strangersKey.sign(claims: claims, type: "JWT"))
        // The stranger's own policy takes it, since its issuer's keys bear it out, and so it is remembered.
        guard case .granted = await strangersResource.authorize(fields: forged) else {
            Issue.record("The other issuer's token was refused by its own policy.")
            return
        }
        guard case .refused(let refusal) = await resource.authorize(fields: forged) else {
            Issue.record("A token of another issuer's key was granted.")
            return
        }
        #expect(refusal.reason.name == "token_iss")
    }

    // MARK: Cognito, and audiences

    @Test("A token without an audience is accepted from a listed client alone")
    func clients() throws {
        let vendor = VendorTokens.cognito
        #expect(verdict(vendor.token { $0["client_id"] = "another" }, vendor.policy).check == .audience)
        #expect(verdict(vendor.token { $0["aud"] = "https://other.example.com" }, vendor.policy).check == .audience)
        #expect(verdict(vendor.token { $0["aud"] = .null }, vendor.policy).check == .audience)
        #expect(verdict(vendor.token { $0["aud"] = [] }, vendor.policy).check == .audience)
        // An audience says by itself whom a token is for.
        let bound = vendor.token {
            $0["aud"] = "https://api.example.com"
            $0["client_id"] = "another"
        }
        #expect(verdict(bound, vendor.policy).check == nil)
        // A profile that requires an audience goes by nothing else.
        let strict = try AccessTokenPolicy(
            issuers: [Fixtures.issuer],
            audiences: [Fixtures.audience],
            withoutAudience: .clients(["app"])
        )
        #expect(verdict(Fixtures.token { $0["aud"] = nil }, strict).check == .audience)
    }

    @Test("Every audience of a policy is accepted, and no other")
    func audiences() throws {
        for audience in VendorTokens.entra.audiences {
            #expect(
                verdict(VendorTokens.entra.token { $0["aud"] = .string(audience) }, VendorTokens.entra.policy).check
                    == nil
            )
        }
        let other = VendorTokens.entra.token { $0["aud"] = "6cb04018-a3f5-46a7-b995-940c78f5aef3" }
        #expect(verdict(other, VendorTokens.entra.policy).check == .audience)
    }

    @Test("A policy has an audience, or says what stands for it")
    func audienceConfiguration() throws {
        let issuer = Fixtures.issuer
        func refused(
            _ audiences: [String],
            _ absent: AbsentAudience,
            _ profile: AccessTokenProfile = .rfc9068
        ) -> Bool {
            isRefused { () throws(SignInError) in
                _ = try AccessTokenPolicy(
                    issuers: [issuer],
                    audiences: audiences,
                    withoutAudience: absent,
                    profile: profile
                )
            }
        }
        #expect(refused([], .refused) && refused(["a", ""], .refused) && refused([], .clients([])))
        #expect(refused(["a"], .clients(["app", ""])) && refused(["a"], .scope("a b")))
        #expect(refused(["a"], .refused, .cognito) && refused(["a"], .scope("api/read"), .cognito))
        #expect(!refused([], .clients(["app"]), .cognito) && !refused([], .scope("api/read")))
        let narrowed = try VendorTokens.cognito.policy.requiring(["email"])
        #expect(narrowed.profile == .cognito && narrowed.withoutAudience == VendorTokens.cognito.absent)
    }

    // MARK: By hand

    @Test("A custom profile is marked by a member that ID tokens do not have")
    func byHand() throws {
        func make(_ mark: AccessTokenProfile.Mark) throws(SignInError) -> AccessTokenProfile {
            try AccessTokenProfile(name: "example", types: ["JWT", .absent], mark: mark, requiredClaims: [.subject])
        }
        let marks: [AccessTokenProfile.Mark] = [
            .claim("roles"), .claim("azp"), .claim("auth_time"), .claim("sub"), .claim("typ"), .claim("token_use"),
            .claim("acr", oneOf: ["1"]), .claim("typ", oneOf: []), .type.or(.claim("groups")),
        ]
        for mark in marks { #expect(isRefused { () throws(SignInError) in _ = try make(mark) }) }
        let profile = try make(.claim("permits").or(.claim("kind", oneOf: ["access"])))
        let policy = try AccessTokenPolicy(issuer: Fixtures.issuer, audience: Fixtures.audience, profile: profile)
        func check(_ name: String, _ value: JSONValue?, type: String? = nil) -> AccessTokenRefusal.Check? {
            verdict(Fixtures.token(type: type) { $0[name] = value }, policy).check
        }
        #expect(check("permits", "x") == nil && check("permits", ["x"], type: "jwt") == nil)
        #expect(check("kind", "access") == nil && check("kind", "id") == .type && check("kind", ["access"]) == .type)
        #expect(check("permits", "") == .type && check("permits", []) == .type && check("permits", [""]) == .type)
        #expect(check("permits", true) == .type && check("permits", nil) == .type)
        #expect(check("permits", "x", type: "at+jwt") == .type)
    }

    @Test("An invalid access token profile is refused when it is made")
    func configuration() {
        func refused(
            name: String = "example",
            types: Set<AccessTokenProfile.HeaderType> = ["JWT"],
            clients: [String] = ["client_id"],
            audience: AccessTokenProfile.Audience = .required,
            required: Set<AccessTokenProfile.RequiredClaim> = []
        ) -> Bool {
            isRefused { () throws(SignInError) in
                _ = try AccessTokenProfile(
                    name: name,
                    types: types,
                    mark: .claim("scope"),
                    clientClaims: clients,
                    audience: audience,
                    requiredClaims: required
                )
            }
        }
        #expect(!refused() && refused(name: "") && refused(name: "a b") && refused(types: []))
        #expect(refused(clients: [], required: [.client]) && refused(clients: [], audience: .optional))
        #expect(!refused(clients: []))
    }

    @Test("Every profile name gives the profile of that name, and any other name is refused")
    func names() throws {
        let issuer = try Issuer(VendorTokens.entra.issuer)
        for name in AccessTokenProfile.names {
            #expect(try AccessTokenProfile.named(name, issuer: issuer).name == name)
        }
        #expect(isRefused { () throws(SignInError) in _ = try AccessTokenProfile.named("Keycloak", issuer: issuer) })
    }

    // MARK: What a client hears

    @Test("A client learns only invalid_token when its token has another form")
    func challenge() async throws {
        let server = ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)],
            clock: Fixtures.clock
        )
        let resource = try server.resource(Fixtures.policy(scopes: []))
        guard
            case .refused(let refusal) = await resource.authorize(fields: Fixtures.bearer(Fixtures.token(type: "JWT")))
        else {
            Issue.record("An ID token was granted.")
            return
        }
        #expect(refusal.fields[values: .wwwAuthenticate] == [#"Bearer error="invalid_token""#])
    }
}
