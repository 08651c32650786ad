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

/// A client that registered itself.
struct Registrant {
    let world: World
    let response: JSONObject
    let id: String
    let secret: String?
    let token: String
    /// The path of its own endpoint.
    let path: String

    init(at world: World, _ metadata: JSONObject = .client, bearer: String? = nil) async throws {
        self.world = world
        let response = await world.send(.post, "/register", metadata, bearer: bearer)
        #expect(response.status == .created)
        self.response = try #require(response.json)
        id = try #require(self.response["client_id"]?.string)
        secret = self.response["client_secret"]?.string
        token = try #require(self.response["registration_access_token"]?.string)
        let uri = try #require(self.response["registration_client_uri"]?.string)
        path = String(uri.dropFirst(Fixtures.issuer.count))
    }

    func send(_ method: HTTPRequest.Method, _ object: JSONObject? = nil, bearer: String? = nil) async
        -> ProviderResponse
    {
        await world.send(method, path, object, bearer: bearer ?? token)
    }

    /// Whether the client can authenticate at the token endpoint.
    func authenticates(with secret: String?) async -> Bool {
        let pair = FormURLEncoding.escape(id) + ":" + FormURLEncoding.escape(secret ?? "")
        let field = "Basic " + Data(pair.utf8).base64EncodedString()
        let response = await world.post(
            "/token",
            .codeGrant("unknown") { $0[.clientID] = nil },
            fields: [
                .authorization: field
            ]
        )
        return response.error != "invalid_client"
    }
}

extension JSONObject {
    /// The metadata of a client that the provider accepts.
    static let client: JSONObject = [
        "client_name": "The Registrant", "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token"],
    ]

    /// The same with other members.
    static func client(_ changes: JSONObject) -> JSONObject {
        changes.members.reduce(into: client) { $0[$1.name] = $1.value }
    }
}
