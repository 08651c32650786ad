import OstiaryCommand
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Profile record")
struct ProfileRecordTests {
    @Test(
        "What is kept comes back",
        arguments: [
            ProfileRecord.Authentication.none, .clientSecretBasic(Secret("a secret")),
            .clientSecretPost(Secret("\"\u{1F512}")),
        ]
    )
    func roundTrip(_ authentication: ProfileRecord.Authentication) throws {
        let record = ProfileRecord(
            issuer: try Issuer("https://id.example.com"),
            clientID: "app",
            redirectURI: try RedirectURI("http://127.0.0.1/callback"),
            authentication: authentication,
            scopes: [.openID, .email],
            idTokenAlgorithm: .es256,
            userInfoAlgorithm: .rs256
        )
        #expect(try ProfileRecord(record.bytes) == record)
    }

    @Test(
        "Anything else is corrupted",
        arguments: [
            "", "{}", "[]",
            #"{"version":2,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"client_secret_basic","scope":""}"#,
            #"{"version":1,"issuer":"https://id.example.com","client_id":"a","redirect_uri":"http://127.0.0.1/","token_endpoint_auth_method":"none","scope":"","id_token_signed_response_alg":"none"}"#,
        ]
    )
    func corrupted(_ text: String) {
        #expect(throws: StorageFailure.corrupted) { try ProfileRecord(Array(text.utf8)) }
    }
}
