import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Curity: secrets stay secret")
struct CuritySafetyTests {
    @Test(
        "Printing, dumping and logging Curity values show no secret",
        .covers(.curity, rows: 61, cites: "C-5")
    )
    func redaction() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let app = CurityApp(curity)
        let session = try #require(try await app.signIn())
        let registration = try await curity.renewRegistration()
        let token = try await session.accessToken()
        let refreshed = try await app.refresh()
        let hint = session.identity?.compact
        try await app.signOut()
        let used = world.tokenRequests.flatMap {
            [$0.form[.code], $0.form[.codeVerifier], $0.form[.refreshToken], $0.fields[.authorization]]
        }.compactMap { $0 }
        let secrets =
            used
            + [token, refreshed, hint, registration.clientSecret, registration.management?.token].compactMap {
                $0?.reveal()
            }
        var text = ""
        for value in [curity, app, session, registration, registration.metadata, curity.configuration] as [Any] {
            text += "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
        }
        for event in world.events.values { dump(event, to: &text) }
        #expect(secrets.count >= 9 && world.events.values.count > 10)
        for secret in secrets { #expect(!text.contains(secret)) }
    }

    @Test("No secret is in a URL", .covers(.curity, rows: 35, 61, cites: "C-4", "C-5"))
    func urls() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        try await session.refresh()
        let registration = try #require(try await curity.registration())
        let secrets = [registration.clientSecret, registration.management?.token, try await session.accessToken()]
            .compactMap { $0?.reveal() }
        for request in world.network.requests {
            for secret in secrets { #expect(!request.request.url.absoluteString.contains(secret)) }
        }
    }

    @Test("On disk the registration and the session are sealed", .covers(.curity, rows: 53, cites: "C-6", "C-7"))
    func sealed() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("curity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try CurityWorld()
        let store = FileStore(directory: folder, key: .bytes(Array(0..<32)))
        func start() throws -> Curity {
            Curity(
                try CurityWorld.configuration(),
                userAgent: world.browser,
                transport: world.network,
                store: store,
                clock: world.clock.device
            )
        }
        let session = try await start().signIn()
        let registration = try #require(try await start().registration())
        #expect(try await start().restoreSession()?.identity == session.identity)
        let secrets = [registration.clientSecret, registration.management?.token, try await session.accessToken()]
            .compactMap { $0?.reveal() }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 2 && secrets.count == 3)
        for file in files {
            let bytes = try Data(contentsOf: file)
            for secret in secrets + [registration.clientID] { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        }
    }

    @Test("An issuer without TLS is a configuration error", .covers(.curity, rows: 1))
    func insecure() {
        do throws(SignInError) {
            _ = try CurityConfiguration(
                issuer: "http://idsvr.example.com/oauth/v2/oauth-anonymous",
                redirectUri: "io.curity.client:/callback",
                postLogoutRedirectUri: "io.curity.client:/logoutcallback"
            )
            Issue.record("An issuer without TLS was taken.")
        } catch {
            #expect(CurityError(error).code == .invalidDiscoveryDocument)
        }
    }
}

@Suite(
    "Curity: requests of the vendor's samples at the development server, by its rules"
)
struct CurityDialectTests {
    private func register(_ body: JSONObject, _ world: CurityWorld) async throws -> (Int, JSONObject) {
        let response = try await world.network.send(
            EndpointRequest(
                url: try #require(URL(string: "https://idsvr.example.test" + CurityWorld.registrationPath)),
                method: .post,
                content: .init(mediaType: "application/json", bytes: body.encoded())
            )
        )
        return (response.status.code, try JSONObject(parsing: response.body))
    }

    /// The tutorial's requests as AppAuth writes them: its additional parameters are texts, and the code is redeemed with
    /// the secret in the form although the client is registered for Basic.
    @Test(
        "The tutorial's app signs in, refreshes and signs out with the requests that AppAuth writes",
        .covers(.curity, rows: 35, 36)
    )
    func samples() async throws {
        let world = try CurityWorld()
        let (status, registered) = try await register(
            [
                "redirect_uris": ["io.curity.client:/callback"], "application_type": "native",
                "grant_types": ["authorization_code"], "scope": "openid profile", "requires_consent": "true",
                "post_logout_redirect_uris": "io.curity.client:/logoutcallback",
            ],
            world
        )
        #expect(status == 201 && registered["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(registered["requires_consent"] == true)
        #expect(registered["post_logout_redirect_uris"] == ["io.curity.client:/logoutcallback"])
        let id = try #require(registered["client_id"]?.string)
        let secret = try #require(registered["client_secret"]?.string)
        let origin = "https://idsvr.example.test"

        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let request = Parameters([
            .clientID: id, .redirectURI: "io.curity.client:/callback", .responseType: "code", .state: "state-1",
            .nonce: "nonce-1", .scope: "openid profile", .codeChallengeMethod: "S256",
            .codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            .acrValues: CurityWorld.passwordContext,
        ])
        let page = try #require(
            URL(string: origin + "/oauth/v2/oauth-authorize?" + FormURLEncoding.encode(request))
        )
        let attempt = try await world.browser.attempt(awaiting: try RedirectURI("io.curity.client:/callback"))
        let redirect = try await attempt.open(page, accepting: .any)
        let answer = try #require(FormURLEncoding.decode(redirect.query(percentEncoded: true) ?? ""))
        #expect(answer[.state] == "state-1" && world.network.count(path: "/authn/consent") > 0)

        func tokens(_ form: Parameters, basic: Bool = false) async throws -> (Int, JSONObject) {
            var request = EndpointRequest(
                url: try #require(URL(string: origin + CurityWorld.tokenPath)),
                method: .post,
                form: form
            )
            if basic {
                request.fields[.authorization] = "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
            }
            let response = try await world.network.send(request)
            return (response.status.code, try JSONObject(parsing: response.body))
        }
        let (code, first) = try await tokens(
            Parameters([
                .grantType: "authorization_code", .code: try #require(answer[.code]), .clientID: id,
                .clientSecret: secret, .codeVerifier: verifier, .redirectURI: "io.curity.client:/callback",
            ])
        )
        #expect(code == 200 && first["id_token"] != nil)
        let refresh = try #require(first["refresh_token"]?.string)
        // AppAuth's refresh has the secret in the Authorization field, and the tutorial's table has it in the form.
        let (basic, second) = try await tokens(
            Parameters([.grantType: "refresh_token", .refreshToken: refresh]),
            basic: true
        )
        #expect(basic == 200 && second["access_token"] != nil)
        let (form, _) = try await tokens(
            Parameters([
                .grantType: "refresh_token", .clientID: id, .clientSecret: secret,
                .refreshToken: second["refresh_token"]?.string ?? refresh,
            ])
        )
        #expect(form == 200)
    }

    @Test("A strict server rejects a secret in the form of a client registered for Basic")
    func strictSecret() async throws {
        let world = try CurityWorld(dialect: CurityDialect(requestForms: .strict))
        let registration = try await world.start().register()
        let response = try await world.network.send(
            EndpointRequest(
                url: try #require(URL(string: "https://idsvr.example.test" + CurityWorld.tokenPath)),
                method: .post,
                form: Parameters([
                    .grantType: "refresh_token", .refreshToken: "r", .clientID: registration.clientID,
                    .clientSecret: try #require(registration.clientSecret).reveal(),
                ])
            )
        )
        #expect(response.status.code == 401)
    }

    @Test(
        "A strict server rejects strings in place of lists and Booleans in a registration",
        .covers(.curity, rows: 36),
        arguments: [
            ("requires_consent", JSONValue.string("true")),
            ("post_logout_redirect_uris", "io.curity.client:/logoutcallback"),
        ]
    )
    func strict(name: String, value: JSONValue) async throws {
        var body: JSONObject = ["redirect_uris": ["io.curity.client:/callback"]]
        body[name] = value
        let world = try CurityWorld(dialect: CurityDialect(requestForms: .strict))
        #expect(try await register(body, world).0 == 400)
        #expect(try await register(body, try CurityWorld()).0 == 201)
    }

    @Test(
        "A member of another type or value than the server has is refused",
        .covers(.curity, rows: 36),
        arguments: [
            ("requires_consent", JSONValue.string("yes"), "invalid_client_metadata"),
            ("post_logout_redirect_uris", "https://", "invalid_redirect_uri"),
            ("default_acr_values", "urn:a", "invalid_client_metadata"),
            ("refresh_token_ttl", "3600", "invalid_client_metadata"),
            ("client_secret_expires_at", 0, "invalid_client_metadata"),
            ("registration_access_token_expires_in", 1, "invalid_client_metadata"),
            ("subject_type", "pairwise", "invalid_client_metadata"),
            ("software_id", "nowhere", "invalid_client_metadata"),
        ]
    )
    func types(name: String, value: JSONValue, code: String) async throws {
        var body: JSONObject = ["redirect_uris": ["io.curity.client:/callback"]]
        body[name] = value
        let (status, answer) = try await register(body, try CurityWorld())
        #expect(status == 400 && answer["error"] == .string(code))
    }

    @Test("The Curity dialect's metadata places the endpoints beside the issuer", .covers(.curity, rows: 1))
    func metadata() async throws {
        let world = try CurityWorld()
        let discovery = ServerMetadataRequest(try Issuer(CurityWorld.issuer))
        let server = try await world.network.perform(discovery, in: ExchangeContext(device: world.clock.device))
        let origin = "https://idsvr.example.test"
        #expect(server.authorizationEndpoint?.absoluteString == origin + "/oauth/v2/oauth-authorize")
        #expect(server.tokenEndpoint?.absoluteString == origin + "/oauth/v2/oauth-token")
        #expect(server.registrationEndpoint?.absoluteString == origin + "/token-service/oauth-registration")
        #expect(server.endSessionEndpoint?.absoluteString == origin + "/oauth/v2/oauth-session")
        #expect(server.deviceAuthorizationEndpoint == nil && !server.sendsIssuerInResponses)
        #expect(server.metadata["acr_values_supported"] == [.string(CurityWorld.passwordContext)])
    }

    @Test("A client registered with consent gets a consent page, and one without gets none", .covers(.curity, rows: 36))
    func consent() async throws {
        let world = try CurityWorld()
        _ = try await world.start(.describingItself(requiresConsent: true)).signIn()
        #expect(world.network.count(path: "/authn/consent") > 0)
        let silent = try CurityWorld()
        _ = try await silent.start(.describingItself(requiresConsent: false)).signIn()
        #expect(silent.network.count(path: "/authn/consent") == 0)
    }
}
