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

@Suite("Step-up authentication")
struct StepUpTests {
    private static let stronger = Parameters.authorization { $0[.acrValues] = "urn:ostiary:mfa" }

    private func claims(_ response: ProviderResponse, _ world: World) async throws -> (id: JSONObject, Tokens) {
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        return (try await world.verifiedClaims(try #require(tokens.id)), tokens)
    }

    @Test("On request only, a sign-in needs the password alone")
    func onRequest() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let (id, tokens) = try await claims(try await world.browser().signIn(), world)
        #expect(id["amr"] == ["pwd"] && id["acr"] == "urn:ostiary:password")
        #expect(try await world.verifiedClaims(tokens.access)["acr"] == "urn:ostiary:password")
    }

    @Test("A request for the stronger context asks a signed-in user for the one-time password alone")
    func missingFactor() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        _ = try await browser.signIn()
        let (planted, start) = (browser.cookie("session"), world.clock.now)
        world.clock.advance(by: .seconds(60))
        let page = try #require(await browser.authorize(Self.stronger).oneTimePasswordPage)
        #expect(page.userName == "alice")
        let (id, tokens) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(id["acr"] == "urn:ostiary:mfa" && id["amr"] == ["pwd", "otp", "mfa"])
        // The password is a minute old.
        #expect(id["auth_time"]?.number == start.timeIntervalSince1970)
        let access = try await world.verifiedClaims(tokens.access)
        #expect(access["acr"] == "urn:ostiary:mfa" && access["auth_time"] == id["auth_time"])
        #expect(browser.cookie("session") != planted)
        #expect(await browser.authorize(Self.stronger).redirect?.parameters[.code] != nil)
    }

    @Test("A step-up keeps the sid, and the tokens of the sign-in before it")
    func sameSession() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        let (before, tokens) = try await claims(try await browser.signIn(), world)
        let page = try #require(await browser.authorize(Self.stronger).oneTimePasswordPage)
        let (after, _) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(before["sid"] == after["sid"])
        #expect(await world.userInfo(tokens.access).status == .ok)
        // A refresh does not make the first sign-in stronger.
        let refreshed = try Tokens(await world.refresh(try #require(tokens.refresh)))
        #expect(try await world.verifiedClaims(refreshed.access)["acr"] == "urn:ostiary:password")
    }

    @Test("A user who is not signed in enters the password and then the one-time password")
    func bothFactors() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        let page = try await browser.passwordFirst(Self.stronger)
        let (id, _) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(id["acr"] == "urn:ostiary:mfa")
        #expect(id["auth_time"]?.number == world.clock.now.timeIntervalSince1970)
    }

    @Test("The stronger context with max_age asks for both factors when the password is too old")
    func maximumAge() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(60))
        func request(_ age: String) -> Parameters {
            .authorization {
                $0[.acrValues] = "urn:ostiary:mfa"
                $0[.maxAge] = age
            }
        }
        #expect(await browser.authorize(request("60")).oneTimePasswordPage != nil)
        let page = try await browser.passwordFirst(request("59"))
        let (id, _) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(id["auth_time"]?.number == world.clock.now.timeIntervalSince1970)
    }

    @Test("With prompt=none a step-up is login_required, and a code once it is done")
    func promptNone() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        _ = try await browser.signIn()
        var silent = Self.stronger
        silent[.prompt] = "none"
        #expect(await browser.authorize(silent).redirectError == "login_required")
        let page = try #require(await browser.authorize(Self.stronger).oneTimePasswordPage)
        _ = await browser.enter(try world.oneTimePassword(), page)
        #expect(await browser.authorize(silent).redirect?.parameters[.code] != nil)
    }

    @Test("A user without an authenticator app cannot meet the stronger context, signed in or not")
    func unmet() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        let response = try await browser.signIn(Self.stronger, name: "bob", password: "battery staple")
        #expect(response.redirectError == "unmet_authentication_requirements")
        #expect(response.redirect?.parameters[.state] == "the state")
        #expect(await browser.authorize(Self.stronger).redirectError == "unmet_authentication_requirements")
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
    }

    @Test(
        "The first requested context that the user can meet is the one of the ID token",
        arguments: [
            ("urn:ostiary:password urn:ostiary:mfa", false, "urn:ostiary:password"),
            ("urn:other urn:ostiary:mfa urn:ostiary:password", true, "urn:ostiary:mfa"),
            ("urn:other", false, "urn:ostiary:password"), ("urn:ostiary:password", false, "urn:ostiary:password"),
        ]
    )
    func order(values: String, isOneTimePasswordNeeded: Bool, context: JSONValue) async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        var response = try await browser.signIn(.authorization { $0[.acrValues] = values })
        if isOneTimePasswordNeeded {
            let page = try #require(try await browser.follow(response).oneTimePasswordPage)
            response = await browser.enter(try world.oneTimePassword(), page)
        }
        #expect(try await claims(response, world).id["acr"] == context)
    }

    @Test("A login with both factors meets a request for the password's context")
    func weakerContext() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let page = try await browser.passwordFirst(.authorization { $0[.acrValues] = "urn:ostiary:password" })
        let (id, _) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(id["acr"] == "urn:ostiary:password" && id["amr"] == ["pwd", "otp", "mfa"])
    }

    @Test("The second preference of a user without an authenticator app is met")
    func secondPreference() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let request = Parameters.authorization { $0[.acrValues] = "urn:ostiary:mfa urn:ostiary:password" }
        let response = try await world.browser().signIn(request, name: "bob", password: "battery staple")
        #expect(try await claims(response, world).id["acr"] == "urn:ostiary:password")
    }

    @Test("A login from before the enrolment is asked for the one-time password at the next request")
    func laterEnrolment() async throws {
        let storage = MemoryProviderStorage()
        let browser = try World(storage: storage).browser()
        _ = try await browser.signIn()
        let password = try Authenticator.password()
        let world = try World(storage: storage) { $0.users[0].oneTimePassword = password }
        let later = world.browser()
        later.copyCookies(of: browser)
        #expect(await later.authorize().oneTimePasswordPage?.userName == "alice")
    }

    /// A request with an individual request for the claim `acr` of the ID token.
    private static func requesting(_ acr: String, prompt: String? = nil) -> Parameters {
        .authorization {
            $0["claims"] = #"{"id_token": {"acr": \#(acr)}}"#
            $0[.prompt] = prompt
        }
    }

    private func essentialWorld(_ change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        try World.withSecondFactor(.onRequest) {
            $0.rules = .oidc
            change(&$0)
        }
    }

    @Test(
        "An essential acr asks a signed-in user for the one-time password, and is the acr of the ID token",
        arguments: [
            #"{"essential": true, "values": ["urn:other", "urn:ostiary:mfa"]}"#,
            #"{"essential": true, "value": "urn:ostiary:mfa"}"#,
        ]
    )
    func essential(acr: String) async throws {
        let world = try essentialWorld()
        let browser = world.browser()
        _ = try await browser.signIn()
        #expect(await browser.authorize(Self.requesting(acr, prompt: "none")).redirectError == "login_required")
        let page = try #require(await browser.authorize(Self.requesting(acr)).oneTimePasswordPage)
        let (id, _) = try await claims(await browser.enter(try world.oneTimePassword(), page), world)
        #expect(id["acr"] == "urn:ostiary:mfa" && id["amr"] == ["pwd", "otp", "mfa"])
    }

    @Test(
        "An essential acr that the user or the provider cannot meet is a failed authentication",
        arguments: [
            #"{"essential": true, "value": "urn:ostiary:mfa"}"#, #"{"essential": true, "values": ["urn:other"]}"#,
            #"{"essential": true, "values": []}"#, #"{"essential": true, "values": "urn:ostiary:password"}"#,
            #"{"essential": true, "value": 1}"#,
        ]
    )
    func essentialUnmet(acr: String) async throws {
        let world = try essentialWorld()
        let browser = world.browser()
        let response = try await browser.signIn(Self.requesting(acr), name: "bob", password: "battery staple")
        #expect(response.redirectError == "unmet_authentication_requirements")
        let description = response.redirect?.parameters[.errorDescription]
        #expect(description == "The user cannot authenticate as the essential acr of claims requires.")
        let silent = await browser.authorize(Self.requesting(acr, prompt: "none"))
        #expect(silent.redirectError == "unmet_authentication_requirements")
    }

    @Test("An essential acr takes precedence over acr_values")
    func essentialFirst() async throws {
        let world = try essentialWorld()
        var request = Self.requesting(#"{"essential": true, "value": "urn:ostiary:mfa"}"#)
        request[.acrValues] = "urn:ostiary:password"
        let page = try await world.browser().passwordFirst(request)
        #expect(page.userName == "alice")
    }

    @Test(
        "A voluntary acr, and an essential one without values, get the acr of the login",
        arguments: [
            "null", #"{"essential": true}"#, #"{"values": ["urn:ostiary:mfa"]}"#,
            #"{"essential": false, "value": "urn:ostiary:mfa"}"#,
        ]
    )
    func voluntary(acr: String) async throws {
        let world = try essentialWorld()
        let response = try await world.browser().signIn(Self.requesting(acr))
        #expect(try await claims(response, world).id["acr"] == "urn:ostiary:password")
    }

    @Test("An essential acr of user info, and one under rules without the claims parameter, require nothing")
    func essentialElsewhere() async throws {
        let world = try essentialWorld()
        let userInfo = Parameters.authorization {
            $0["claims"] = #"{"userinfo": {"acr": {"essential": true, "value": "urn:other"}}}"#
        }
        #expect(try await world.browser().signIn(userInfo).redirect?.parameters[.code] != nil)
        let strict = try World.withSecondFactor(.onRequest)
        let request = Self.requesting(#"{"essential": true, "value": "urn:other"}"#)
        #expect(try await strict.browser().signIn(request).redirect?.parameters[.code] != nil)
    }

    @Test("An automatic sign-in cannot meet an essential acr that its password's context is not")
    func essentialAutomatic() async throws {
        let world = try essentialWorld { $0.signIn = .automatic(userName: "alice") }
        let request = Self.requesting(#"{"essential": true, "value": "urn:ostiary:mfa"}"#)
        #expect(await world.browser().authorize(request).redirectError == "unmet_authentication_requirements")
    }

    @Test("A step-up of a login that has ended in the meantime is rejected")
    func endedLogin() async throws {
        let world = try World.withSecondFactor(.onRequest)
        let browser = world.browser()
        _ = try await browser.signIn()
        let page = try #require(await browser.authorize(Self.stronger).oneTimePasswordPage)
        _ = try await world.provider.endLogins(of: "subject-of-alice")
        let response = await browser.enter(try world.oneTimePassword(), page)
        #expect(response.status == .forbidden && response.redirect == nil)
    }

    @Test("A signed-in user steps up before the decision about a device")
    func device() async throws {
        let storage = MemoryProviderStorage()
        let browser = try World(storage: storage).browser()
        _ = try await browser.signIn()
        let password = try Authenticator.password()
        let world = try World(storage: storage) { $0.users[0].oneTimePassword = password }
        let later = world.browser()
        later.copyCookies(of: browser)
        let device = try await Device(at: world)
        let page = try #require(try await device.enter(in: later).oneTimePasswordPage)
        let consent = try await later.follow(await later.enter(try world.oneTimePassword(), page))
        #expect(consent.deviceConsentPage?.userName == "alice")
    }

    @Test("Introspection shows the context and the time of the authentication")
    func introspection() async throws {
        let world = try World.withSecondFactor()
        let browser = world.browser()
        let request = Parameters.webAuthorization()
        let response = await browser.enter(try world.oneTimePassword(), try await browser.passwordFirst(request))
        let code = try #require(response.redirect?.parameters[.code])
        let basic: HTTPFields = [.authorization: "Basic d2ViJTIwYXBwOnAlMjVzcyUzQSUyMCUyQndvcmQ="]
        let form = Parameters.codeGrant(code, redirectURI: request[.redirectURI]) { $0[.clientID] = nil }
        let tokens = try Tokens(await world.post("/token", form, fields: basic))
        let answer = await world.post("/introspect", [.token: tokens.access], fields: basic).json
        #expect(answer?["acr"] == "urn:ostiary:mfa")
        #expect(answer?["auth_time"]?.number == world.clock.now.timeIntervalSince1970)
    }

    @Test("An automatic sign-in has the password's context, and cannot meet the stronger one")
    func automatic() async throws {
        let world = try World.withSecondFactor { $0.signIn = .automatic(userName: "alice") }
        #expect(try await claims(await world.browser().authorize(), world).id["acr"] == "urn:ostiary:password")
        let refused = await world.browser().authorize(Self.stronger)
        #expect(refused.redirectError == "unmet_authentication_requirements")
    }
}
