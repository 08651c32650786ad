import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("The development provider in logi's dialect")
struct LogiDialectTests {
    private func get(_ path: String, _ world: LogiWorld, token: String? = nil) async throws -> EndpointResponse {
        var fields: HTTPFields = [:]
        fields[.authorization] = token.map { "Bearer " + $0 }
        return try await world.network.send(
            EndpointRequest(url: try #require(URL(string: LogiPreset.issuer + path)), fields: fields)
        )
    }

    private func post(_ path: String, _ world: LogiWorld, _ text: String, token: String? = nil) async throws
        -> (Int, String?)
    {
        var fields: HTTPFields = [:]
        fields[.authorization] = token.map { "Bearer " + $0 }
        let response = try await world.network.send(
            EndpointRequest(
                url: try #require(URL(string: LogiPreset.issuer + path)),
                method: .post,
                fields: fields,
                content: .init(mediaType: "application/json", bytes: Array(text.utf8))
            )
        )
        return (response.status.code, (try? JSONObject(parsing: response.body))?["error"]?.string)
    }

    @Test(
        "The logi dialect's metadata names the documented endpoints and methods, and no others",
        .covers(.logi, rows: 1)
    )
    func metadata() async throws {
        let world = try LogiWorld()
        let metadata = try JSONObject(parsing: try await get("/.well-known/openid-configuration", world).body)
        for (member, path) in [
            ("authorization_endpoint", "/oauth/authorize"), ("token_endpoint", "/oauth/token"),
            ("userinfo_endpoint", "/oauth/userinfo"), ("revocation_endpoint", "/oauth/revoke"),
            ("device_authorization_endpoint", "/oauth/device_authorization"), ("jwks_uri", "/.well-known/jwks.json"),
        ] {
            #expect(metadata[member]?.string == LogiPreset.issuer + path)
        }
        for member in [
            "end_session_endpoint", "introspection_endpoint", "registration_endpoint",
            "pushed_authorization_request_endpoint", "authorization_response_iss_parameter_supported",
        ] {
            #expect(metadata[member] == nil)
        }
        #expect(
            metadata["token_endpoint_auth_methods_supported"] == ["client_secret_basic", "client_secret_post", "none"]
        )
        #expect(metadata["id_token_signing_alg_values_supported"] == ["RS256"])
        #expect(try await get("/.well-known/oauth-authorization-server", world).status == .notFound)
        let silent = try LogiWorld(options: .init(publishesMetadata: false))
        #expect(try await get("/.well-known/openid-configuration", silent).status == .notFound)
    }

    @Test("The logi dialect's key set may be cached for an hour", .covers(.logi, rows: 31))
    func keys() async throws {
        let response = try await get("/.well-known/jwks.json", try LogiWorld())
        #expect(response.fields[.cacheControl] == "public, max-age=3600")
    }

    @Test(
        "The logi dialect's access token is for the client, and user info is at both documented paths",
        .covers(.logi, rows: 38)
    )
    func tokens() async throws {
        let world = try LogiWorld()
        let token = try await world.logi().signIn().tokens.accessToken.reveal()
        let payload = try JSONObject(parsing: try Base64URL.decode(String(token.split(separator: ".")[1])))
        #expect(payload["aud"]?.string == LogiDevelopment.clientID)
        #expect(payload["iss"]?.string == LogiPreset.issuer && payload["jti"] != nil && payload["scope"] != nil)
        for path in ["/oauth/userinfo", "/api/v1/oauth/userinfo"] {
            let info = try JSONObject(parsing: try await get(path, world, token: token).body)
            #expect(info["sub"]?.string == "8c1f0a52-mina" && info["canonical_sub"]?.string == "8c1f0a52-mina")
        }
        #expect(try await get("/api/v1/oauth/userinfo", world, token: "nobody's").status == .unauthorized)
    }

    @Test(
        "Every error of the logi dialect has a page and a request id, in the body and as a field",
        .covers(.logi, rows: 56)
    )
    func errors() async throws {
        let world = try LogiWorld()
        let response = try await world.network.send(
            EndpointRequest(
                url: try #require(URL(string: LogiPreset.issuer + "/oauth/token")),
                method: .post,
                form: [.grantType: "refresh_token", .refreshToken: "x", .clientID: LogiDevelopment.clientID]
            )
        )
        let error = try JSONObject(parsing: response.body)
        let name = try #require(HTTPField.Name("X-Logi-Request-Id"))
        #expect(error["error"]?.string == "invalid_grant")
        #expect(error["error_uri"]?.string == "https://docs.1pass.dev/oauth/errors#invalid_grant")
        #expect(error["request_id"]?.string == response.fields[name])
    }

    @Test(
        "The logi dialect rejects an authorization request without a code challenge, for every kind of client",
        .covers(.logi, rows: 4)
    )
    func proofKey() async throws {
        let world = try LogiWorld()
        for client in [LogiDevelopment.clientID, LogiDevelopment.backendClientID] {
            let query = FormURLEncoding.encode([
                .responseType: "code", .clientID: client, .redirectURI: LogiWorld.redirectURI, .scope: "openid",
                .state: "s",
            ])
            let location = try await get("/oauth/authorize?" + query, world).fields[.location]
            #expect(location?.contains("error=invalid_request") == true && location?.contains("iss=") == false)
        }
    }

    @Test(
        "The logi dialect rejects an unreadable body at /api/v1 with its error code",
        .covers(.logi, rows: 43, 44),
        arguments: [
            ("/api/v1/devices", "[]", 400, "invalid_request"), ("/api/v1/devices", "{}", 400, "invalid_request"),
            ("/api/v1/devices", #"{"device_uuid":"d"}"#, 400, "invalid_request"),
            ("/api/v1/devices", #"{"device_uuid":"d","platform":"i o s"}"#, 422, "invalid_platform"),
            (
                "/api/v1/auth/anonymous_bootstrap", #"{"device_id":"d","device_platform":"linux"}"#, 422,
                "invalid_platform"
            ),
            ("/api/v1/me/device_keys/exchange", #"{"device_uuid":"d","platform":"ios"}"#, 401, "invalid_token"),
            ("/api/v1/me/merge", "{}", 401, "invalid_token"), ("/api/v1/nothing", "{}", 404, "not_found"),
        ]
    )
    func api(path: String, text: String, status: Int, code: String) async throws {
        let (found, error) = try await post(path, try LogiWorld(), text)
        #expect(found == status && error == code)
    }

    @Test(
        "The logi dialect's device endpoint responds to a wrong secret with a 401 without a body",
        .covers(.logi, rows: 43)
    )
    func bareRefusal() async throws {
        let world = try LogiWorld()
        let body = #"{"device_uuid":"d","platform":"ios","device_secret":"x"}"#
        let (status, error) = try await post("/api/v1/devices", world, body)
        #expect(status == 401 && error == nil)
    }

    @Test("The logi dialect's endpoints reject another method with 405", .covers(.logi, rows: 43))
    func methods() async throws {
        let world = try LogiWorld()
        for path in ["/api/v1/devices", "/api/v1/me/connected_apps/x"] {
            #expect(try await get(path, world).status == .methodNotAllowed)
        }
    }

    @Test(
        "A second user's sign-in replaces the first user's session and tokens",
        .covers(.logi, rows: 53)
    )
    func nextPerson() async throws {
        let world = try LogiWorld()
        let first = try await world.logi().signIn()
        let second = try await world.logi(browser: LogiBrowser(world.network, world.clock, "jun")).signIn()
        #expect(second.identity?.subject == "5b7e9d31-jun")
        let stored = try await world.logi().restoreSession()
        #expect(stored?.tokens == second.tokens && stored?.tokens.accessToken != first.tokens.accessToken)
    }

    @Test("LogiAuthBrowser detects in-app browsers and escapes them as the front door does", .covers(.logi, rows: 55))
    func browserCalls() throws {
        let page = try #require(URL(string: "https://app.example.com/"))
        #expect(LogiAuthBrowser.detect(userAgent: "KAKAOTALK 10") == .kakaoTalk)
        let escape = LogiAuthBrowser.escapeURL(for: .kakaoTalk, targetURL: page)
        #expect(escape != nil && LogiAuthBrowser.tryEscape(targetURL: page, userAgent: "KAKAOTALK 10") == escape)
        #expect(LogiAuthBrowser.tryEscape(targetURL: page, userAgent: "Safari") == nil)
    }
}
