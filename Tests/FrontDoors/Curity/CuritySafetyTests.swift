import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: secrets stay secret")
struct CuritySafetyTests {
    @Test("Printing, dumping and logging show none", .covers(.curity, rows: 61, cites: "6.4.14", "C-5"))
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
        for event in world.events.events { dump(event, to: &text) }
        #expect(secrets.count >= 9 && world.events.events.count > 10)
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

    @Test("Nothing is sent over plain HTTP", .covers(.curity, rows: 1, cites: "X-15"))
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

@Suite("Curity: the development server is as strict as the vendor's")
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

    @Test(
        "Texts in place of lists and Booleans are refused",
        .covers(.curity, rows: 36, cites: "D-11"),
        arguments: [
            ("requires_consent", JSONValue.string("true"), "invalid_client_metadata"),
            ("post_logout_redirect_uris", "io.curity.client:/logoutcallback", "invalid_redirect_uri"),
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

    @Test("Endpoints lie beside the issuer", .covers(.curity, rows: 1))
    func metadata() async throws {
        let world = try CurityWorld()
        let discovery = Discovery(try Issuer(CurityWorld.issuer))
        let server = try await world.network.perform(discovery, in: ExchangeContext(device: world.clock.device))
        let origin = "https://idsvr.example.test"
        #expect(server.authorizationEndpoint?.absoluteString == origin + "/oauth/v2/oauth-authorize")
        #expect(server.tokenEndpoint?.absoluteString == origin + "/oauth/v2/oauth-token")
        #expect(server.registrationEndpoint?.absoluteString == origin + "/token-service/oauth-registration")
        #expect(server.endSessionEndpoint?.absoluteString == origin + "/oauth/v2/oauth-session")
        #expect(server.deviceAuthorizationEndpoint == nil && !server.sendsIssuerInResponses)
        #expect(server.metadata["acr_values_supported"] == [.string(CurityWorld.passwordContext)])
    }

    @Test("A client that asks the person for consent has its page", .covers(.curity, rows: 36))
    func consent() async throws {
        let world = try CurityWorld()
        _ = try await world.start(.describingItself(requiresConsent: true)).signIn()
        #expect(world.network.count(path: "/authn/consent") > 0)
        let silent = try CurityWorld()
        _ = try await silent.start(.describingItself(requiresConsent: false)).signIn()
        #expect(silent.network.count(path: "/authn/consent") == 0)
    }
}
