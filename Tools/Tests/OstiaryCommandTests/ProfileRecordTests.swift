import OstiaryCommand
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Profile record", .fewAtOnce)
struct ProfileRecordTests {
    @Test(
        "A profile record is read back unchanged",
        arguments: [
            ProfileRecord.Authentication.none, .clientSecretBasic(Secret("a secret")),
            .clientSecretPost(Secret("\"\u{1F512}")),
            .privateKeyJWT(ClientKeyFile(path: "/keys/a key.pem", algorithm: .ps256)),
            .registered(nil), .registered(ClientKeyFile(path: "/keys/key.json", algorithm: .es256)),
        ]
    )
    func roundTrip(_ authentication: ProfileRecord.Authentication) throws {
        var record = ProfileRecord(
            issuer: try Issuer("https://id.example.com"),
            clientID: "app",
            redirectURI: try RedirectURI("http://127.0.0.1/callback"),
            authentication: authentication,
            scopes: [.openID, .email]
        )
        #expect(try ProfileRecord(record.bytes) == record)
        record.security = .fapi2
        record.isBound = true
        record.idTokenAlgorithm = .es256
        record.userInfoAlgorithm = .rs256
        record.manners = ServerManners(
            sessionEndingCodes: [.init(rawValue: "token_expired"), .init(rawValue: "invalid_session")],
            assumesBearer: true,
            bearerTokenTypes: ["user"],
            separatesScopesWithCommas: true,
            omitsIssuedTokenType: true,
            takesLogoutURI: true
        )
        #expect(try ProfileRecord(record.bytes) == record)
    }

    @Test(
        "A malformed profile record is corrupted",
        arguments: [
            "", "{}", "[]",
            #"{"version":2,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"client_secret_basic","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":"","id_token_signed_response_alg":"none"}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"private_key_jwt","client_key_file":"/key","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","client_key_file":"/key","token_endpoint_auth_signing_alg":"ES256","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"registered","client_secret":"a","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":"","security_profile":"none"}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":"","server_manners":[]}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":"","server_manners":{"session_ending_codes":[1]}}"#,
        ]
    )
    func corrupted(_ text: String) {
        #expect(throws: StorageFailure.corrupted) { try ProfileRecord(Array(text.utf8)) }
    }
}
