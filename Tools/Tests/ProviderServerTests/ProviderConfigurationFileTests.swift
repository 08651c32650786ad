import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("A provider's configuration file")
struct ProviderConfigurationFileTests {
    private func read(_ text: String) async throws -> ProviderConfigurationFile {
        try await Fixtures.withTemporaryFolder { folder in
            let path = folder + "/provider.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            var random = SystemRandomNumberGenerator()
            return try ProviderConfigurationFile(contentsOf: path, cost: .insecureForTests, using: &random)
        }
    }

    /// A file with one client and one person, to which members are added.
    private func file(client: String = "", user: String = #""password": "secret""#, root: String = "") -> String {
        """
        {
          \(root)
          "clients": [
            {"client_id": "app", "redirect_uris": ["http://127.0.0.1/callback"]\(client)}
          ],
          "users": [{"name": "alice"\(user.isEmpty ? "" : ", ")\(user)}]
        }
        """
    }

    @Test("A whole file is read")
    func whole() async throws {
        let file = try await read(
            file(
                client: """
                    , "client_name": "The App", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post",
                    "post_logout_redirect_uris": ["http://127.0.0.1/"], "scope": "openid notes",
                    "grant_types": ["authorization_code"], "id_token_signed_response_alg": "ES256",
                    "userinfo_signed_response_alg": "RS256", "require_consent": false
                    """,
                user: #""password": "secret", "sub": "1", "claims": {"email": "alice@example.com"}"#,
                root: """
                    "issuer": "http://127.0.0.1:9000", "port": 9000, "store": "provider.sqlite", "name": "Example",
                    "scopes": [{"scope": "notes", "sentence": "Read your notes", "claims": ["notes"]}],
                    """
            )
        )
        #expect(file.issuer?.description == "http://127.0.0.1:9000")
        #expect(file.port == 9000)
        #expect(file.storePath?.hasSuffix("/provider.sqlite") == true)
        let configuration = file.configuration(for: try Issuer("http://127.0.0.1:9000"))
        #expect(configuration.name == "Example")
        #expect(
            configuration.additionalScopes == [ProviderScope("notes", sentence: "Read your notes", claims: ["notes"])]
        )
        let client = try #require(configuration.clients.first)
        #expect(client.name == "The App")
        #expect(client.authenticationMethod.name == "client_secret_post")
        #expect(client.allowedScopes == ["openid", "notes"])
        #expect(client.grantTypes == [.authorizationCode])
        #expect(client.idTokenAlgorithm == .es256)
        #expect(client.userInfoAlgorithm == .rs256)
        #expect(!client.requiresConsent)
        let user = try #require(configuration.users.first)
        #expect(user.subject == "1")
        #expect(user.claims == ["email": "alice@example.com"])
        #expect(user.passwordHash.matches(Secret("secret")))
    }

    @Test("What is left out has a default")
    func defaults() async throws {
        let file = try await read(file())
        #expect(file.issuer == nil)
        #expect(file.port == nil)
        #expect(file.storePath == nil)
        #expect(file.clients.first?.authenticationMethod.name == "none")
        #expect(file.clients.first?.name == "app")
        #expect(file.clients.first?.requiresConsent == true)
        #expect(file.users.first?.subject == "alice")
    }

    @Test("A password that is hashed already is taken as it is")
    func hashed() async throws {
        var random = SystemRandomNumberGenerator()
        let hash = try PasswordHash(Secret("secret"), cost: .insecureForTests, using: &random)
        let file = try await read(file(user: "\"password_hash\": \"\(hash.encoded)\""))
        #expect(file.users.first?.passwordHash == hash)
    }

    @Test(
        "The member that is wrong is named",
        arguments: [
            (#"{"clients": 1, "users": []}"#, "clients"),
            (#"{"clients": [], "users": []}"#, "clients"),
            (#"{"users": []}"#, "clients"),
            (#"{"clients": [{"client_id": "a"}], "users": []}"#, "clients[0].redirect_uris"),
            (#"{"clients": [{"client_id": "a", "redirect_uris": []}], "users": []}"#, "clients[0].redirect_uris"),
            (
                #"{"clients": [{"client_id": "a", "redirect_uris": ["http://example.com"]}], "users": []}"#,
                "clients[0].redirect_uris[0]"
            ),
            (
                #"{"clients": [{"client_id": "a", "redirect_url": "http://127.0.0.1/"}], "users": []}"#,
                "clients[0].redirect_url"
            ),
            (#"{"clients": [], "users": [], "prot": 1}"#, "prot"),
            (#"{"clients": [], "users": [], "port": 70000}"#, "port"),
            (#"{"clients": [], "users": [], "issuer": "http://example.com"}"#, "issuer"),
            ("{", ""),
            (#"{"clients": [], "clients": []}"#, ""),
            ("[]", ""),
        ]
    )
    func wrong(text: String, member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) { try await read(text) }
        #expect(error?.member == member)
        #expect(error?.sentence.hasSuffix(".") == true)
    }

    @Test(
        "What is wrong with a client or a person is named, and no secret is repeated",
        arguments: [
            (#", "client_secret": "hush", "token_endpoint_auth_method": "none""#, "clients[0].client_secret"),
            (#", "token_endpoint_auth_method": "client_secret_basic""#, "clients[0].client_secret"),
            (#", "token_endpoint_auth_method": "hush""#, "clients[0].token_endpoint_auth_method"),
            (#", "grant_types": ["implicit"]"#, "clients[0].grant_types[0]"),
            (#", "id_token_signed_response_alg": "none""#, "clients[0].id_token_signed_response_alg"),
            (#", "require_consent": "no""#, "clients[0].require_consent"),
            (#"}, {"client_id": "app", "redirect_uris": ["app.example:/"]"#, "clients[1].client_id"),
        ]
    )
    func wrongClient(members: String, member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) { try await read(file(client: members)) }
        #expect(error?.member == member)
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "What is wrong with a person is named, and no password is repeated",
        arguments: [
            ("", "users[0].password"),
            (#""password": """#, "users[0].password"),
            (#""password": "hush", "password_hash": "hush""#, "users[0].password"),
            (#""password_hash": "hush""#, "users[0].password_hash"),
            (#""password": "hush", "claims": []"#, "users[0].claims"),
            (#""password": "hush"}, {"name": "bob", "password": "hush", "sub": "alice""#, "users[1].sub"),
        ]
    )
    func wrongUser(members: String, member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) { try await read(file(user: members)) }
        #expect(error?.member == member)
        #expect(error?.description.contains("hush") == false)
    }

    @Test("A file that is not there is named")
    func missing() {
        let error = #expect(throws: ProviderConfigurationError.self) {
            var random = SystemRandomNumberGenerator()
            _ = try ProviderConfigurationFile(contentsOf: "/nonexistent/provider.json", using: &random)
        }
        #expect(error?.description.contains("/nonexistent/provider.json") == true)
    }
}
