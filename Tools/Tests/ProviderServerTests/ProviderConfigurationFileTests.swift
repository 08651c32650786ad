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

    /// A file with one client and one user, to which members are added.
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

    @Test("Rules, lifetimes, algorithms, the clock and the throttle are read, for the provider and for one client")
    func rulesAndLifetimes() async throws {
        let file = try await read(
            file(
                client: #", "rules": "strict", "claims_in_id_token": true, "access_token_type": "JWT""#,
                root: """
                    "rules": "oidc", "lifetimes": {"access_token": 5, "id_token": 6, "refresh_token_reuse": 0},
                    "signing_algorithms": ["ES256", "RS256"], "clock_offset": -90, "throttle": false,
                    "passkeys": true,
                    "resources": [{"resource": "https://api.example.com", "scope": "read", "access_token_type": "JWT"}],
                    """
            )
        )
        #expect(file.clockOffset == -90)
        let configuration = file.configuration(for: try Issuer("http://127.0.0.1:9000"))
        #expect(configuration.rules == .oidc && configuration.clients[0].rules == .strict)
        #expect(configuration.clients[0].userClaimsInIDToken == true)
        #expect(configuration.clients[0].accessTokenHeaderType == "JWT")
        #expect(configuration.resources[0].accessTokenHeaderType == "JWT")
        #expect(configuration.lifetimes.accessToken == .seconds(5) && configuration.lifetimes.idToken == .seconds(6))
        #expect(configuration.lifetimes.refreshToken == .seconds(30 * 86_400))
        #expect(configuration.signingAlgorithms == [.es256, .rs256])
        #expect(configuration.wrongPasswords == .unlimited)
        #expect(configuration.passkeys == .accepted)
        #expect(try await read(self.file()).configuration(for: try Issuer("http://localhost:1")).passkeys == .none)
        // A scope of a resource needs no entry of its own.
        #expect(configuration.additionalScopes.map(\.scope) == ["read"])
    }

    @Test(
        "An allow list without a rule that can take effect is refused, and the error says what to write",
        arguments: [
            ("[]", "clients[0].allow", "Name a rule"), (#"["emptyMetadata"]"#, "clients[0].allow[0]", "registrations"),
            (#"["formPost", "emptyMetadata"]"#, "clients[0].allow[1]", "registrations"),
        ]
    )
    func emptyAllowList(list: String, member: String, words: String) async throws {
        let error = try await #require(throws: ProviderConfigurationError.self) {
            _ = try await read(file(client: ", \"allow\": \(list)"))
        }
        #expect(error.member == member && error.sentence.contains(words))
    }

    @Test(
        "A page or logo of a client at an IPv6 address is refused",
        arguments: ["frontchannel_logout_uri", "logo_uri"]
    )
    func bracketedHost(name: String) async throws {
        let error = try await #require(throws: ProviderConfigurationError.self) {
            let client = #", "redirect_uris": ["http://[::1]/cb"], "\#(name)": "http://[::1]:3000/out""#
            _ = try await read(
                file(client: client).replacing(#""redirect_uris": ["http://127.0.0.1/callback"], "#, with: "")
            )
        }
        #expect(error.member == "clients[0].\(name)" && error.sentence.contains("IPv6 address"))
    }

    @Test("A client without post_logout_redirect_uris returns to its redirect URIs after a sign-out")
    func postLogoutRedirectURIs() async throws {
        let implied = try await read(file()).clients[0]
        #expect(implied.postLogoutRedirectURIs == implied.redirectURIs && !implied.redirectURIs.isEmpty)
        let none = try await read(file(client: #", "post_logout_redirect_uris": []"#)).clients[0]
        #expect(none.postLogoutRedirectURIs.isEmpty)
    }

    @Test("Logout URIs of a client and the allowance for URIs of this machine are read")
    func logout() async throws {
        let uris = """
            , "backchannel_logout_uri": "http://localhost:8000/out", "backchannel_logout_session_required": true,
            "frontchannel_logout_uri": "http://127.0.0.1:8000/bye"
            """
        let file = try await read(
            file(client: uris, root: #""registration": {"access": "open", "loopback_uris": true},"#)
        )
        let client = file.clients[0]
        #expect(client.backChannelLogout?.uri.text == "http://localhost:8000/out")
        #expect(client.backChannelLogout?.isSessionRequired == true)
        #expect(client.frontChannelLogout?.uri.text == "http://127.0.0.1:8000/bye")
        #expect(client.frontChannelLogout?.isSessionRequired == false)
        #expect(file.registration.reach == .publicHostsAndLoopback)
    }

    @Test(
        "A logout URI that cannot be is named with its place and the rule that it breaks",
        arguments: [
            ("backchannel_logout_uri", "http://app.example.com/", "This is not an https URL, or an http URL"),
            ("backchannel_logout_uri", "https://app.example.com/#a", "This has a fragment."),
            ("frontchannel_logout_uri", "https://app.example.com/", "This has to have the scheme, host and port"),
        ]
    )
    func wrongLogout(member: String, uri: String, sentence: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) {
            try await read(file(client: #", "\#(member)": "\#(uri)""#))
        }
        #expect(error?.member == "clients[0].\(member)")
        #expect(error?.sentence.hasPrefix(sentence) == true)
    }

    @Test("References of a client, pairwise subjects and allowed rules are read")
    func references() async throws {
        let members = """
            , "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example.com/jwks",
            "request_uris": ["https://app.example.com/request#digest"], "subject_type": "pairwise",
            "sector_identifier_uri": "https://sector.example.com/uris.json", "policy_uri": "https://app.example.com/#p",
            "logo_uri": "https://app.example.com/logo.png", "allow": ["formPost", "proofKeys"]
            """
        let client = try await read(file(client: members)).clients[0]
        #expect(client.keySetURI?.text == "https://app.example.com/jwks")
        #expect(client.authenticationMethod.name == "private_key_jwt")
        #expect(client.requestURIs.map(\.text) == ["https://app.example.com/request#digest"])
        #expect(client.sector == "sector.example.com" && client.allowedRules == [.formPost, .proofKeys])
        #expect(client.pages.policy?.text == "https://app.example.com/#p" && client.pages.logo != nil)
        let pairwise = try await read(file(client: #", "subject_type": "pairwise""#)).clients[0]
        #expect(pairwise.sector == "127.0.0.1")
        for wrong in [#""subject_type": "secret""#, #""allow": ["everything"]"#, #""allow": ["refreshTokens"]"#] {
            await #expect(throws: ProviderConfigurationError.self) { try await read(file(client: ", " + wrong)) }
        }
    }

    @Test("A lifetime of client assertions in the file goes before that of the rules")
    func assertionLifetime() async throws {
        let named = try await read(file(root: #""rules": "oidc", "client_assertion_lifetime": 60,"#))
        #expect(named.configurationRules(.strict).assertionLifetime == .configured)
        let unnamed = try await read(file())
        #expect(unnamed.rules == nil && unnamed.configurationRules(.oidc) == .oidc)
    }

    @Test("A signing key is read from the file")
    func signingKey() async throws {
        let key = try SigningKey.generate(.es256)
        var jwk = try key.privateJWK()
        jwk["alg"] = "ES256"
        let text = String(decoding: jwk.encoded(), as: UTF8.self)
        let file = try await read(file(root: "\"signing_keys\": [\(text)],"))
        #expect(file.signingKeys.map(\.keyID) == [key.keyID])
    }

    @Test("A complete provider configuration file is read")
    func whole() async throws {
        let file = try await read(
            file(
                client: """
                    , "client_name": "The App", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post",
                    "post_logout_redirect_uris": ["http://127.0.0.1/"], "scope": "openid notes",
                    "grant_types": ["authorization_code"], "id_token_signed_response_alg": "ES256",
                    "userinfo_signed_response_alg": "RS256", "require_consent": false, "may_introspect": true
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
        #expect(client.mayIntrospect)
        let user = try #require(configuration.users.first)
        #expect(user.subject == "1")
        #expect(user.claims == ["email": "alice@example.com"])
        #expect(user.passwordHash.matches(Secret("secret")))
    }

    @Test("Members that a provider configuration leaves out have defaults")
    func defaults() async throws {
        let file = try await read(file())
        #expect(file.issuer == nil)
        #expect(file.port == nil)
        #expect(file.storePath == nil)
        #expect(file.clients.first?.authenticationMethod.name == "none")
        #expect(file.clients.first?.name == "app")
        #expect(file.clients.first?.requiresConsent == true)
        #expect(file.clients.first?.mayIntrospect == false)
        #expect(file.registration.access == .closed)
        #expect(file.users.first?.subject == "alice")
    }

    @Test("A client without the code grant needs no redirect URI")
    func withoutRedirects() async throws {
        let device = """
            {"clients": [{"client_id": "tv", "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]}],
             "users": [{"name": "alice", "password": "secret"}]}
            """
        let client = try #require(try await read(device).clients.first)
        #expect(client.grantTypes == [.deviceCode])
        #expect(client.redirectURIs.isEmpty)
    }

    @Test("Resources, nonces and pushed requests are read, for the provider and for a client with keys")
    func extensions() async throws {
        let key = try SigningKey.generate(.es256)
        let keys = String(decoding: key.publicKey.jsonObject.encoded(), as: UTF8.self)
        let configuration = try await read(
            file(
                client: """
                    , "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [\(keys)]},
                    "dpop_bound_access_tokens": true, "require_pushed_authorization_requests": true
                    """,
                root: """
                    "resources": [{"resource": "https://api.example.com", "name": "The API", "scope": "profile"}],
                    "dpop_nonces": true, "require_pushed_authorization_requests": true,
                    "client_assertion_lifetime": 3600, "basic_credentials": "form_encoded_or_raw",
                    """
            )
        ).configuration(for: try Issuer("http://127.0.0.1:9000"))
        #expect(
            configuration.resources
                == [ProviderResource(identifier: "https://api.example.com", name: "The API", scopes: [.profile])]
        )
        #expect(configuration.lifetimes.clientAssertion == .seconds(3600))
        #expect(configuration.basicCredentials == .formEncodedOrRaw)
        #expect(configuration.dpop.requiresNonce && configuration.requiresPushedAuthorizationRequests)
        let client = try #require(configuration.clients.first)
        #expect(client.requiresDPoP && client.requiresPushedAuthorization)
        guard case .privateKeyJWT(let read, _) = client.authenticationMethod else {
            Issue.record("another method")
            return
        }
        #expect(read.keys == [key.publicKey])
    }

    @Test("The registration policy is read with its initial access tokens and software statement issuers")
    func registration() async throws {
        let key = try SigningKey.generate(.es256)
        let keys = String(decoding: key.publicKey.jsonObject.encoded(), as: UTF8.self)
        let file = try await read(
            file(
                root: """
                    "registration": {
                        "access": "initial_access_token", "initial_access_tokens": ["hush"],
                        "software_statement_issuers": {"https://trust.example": {"keys": [\(keys)]}},
                        "client_secret_lifetime": 3600, "rotate": ["access_token_on_read", "secret_on_update"]
                    },
                    """
            )
        )
        let policy = file.configuration(for: try Issuer("http://127.0.0.1:9000")).registration
        #expect(policy.access == .withInitialAccessToken([SecretDigest(of: Secret("hush"))]))
        #expect(policy.trustedSoftwareStatementIssuers["https://trust.example"]?.keys == [key.publicKey])
        #expect(policy.secretLifetime == .seconds(3600))
        #expect(policy.rotation == [.accessTokenOnRead, .secretOnUpdate])
    }

    @Test(
        "Registration can be closed, open, or for trusted software statements",
        arguments: [
            ("closed", RegistrationPolicy.Access.closed), ("open", .open),
            ("software_statement", .withSoftwareStatement),
        ]
    )
    func access(name: String, access: RegistrationPolicy.Access) async throws {
        #expect(try await read(file(root: #""registration": {"access": "\#(name)"},"#)).registration.access == access)
    }

    @Test(
        "An error in the registration policy names the member, and repeats no token",
        arguments: [
            ("1", "registration"), ("{}", "registration.access"), (#"{"access": "hush"}"#, "registration.access"),
            (#"{"access": "initial_access_token"}"#, "registration.access"),
            (#"{"access": "initial_access_token", "initial_access_tokens": []}"#, "registration.access"),
            (#"{"access": "open", "initial_access_tokens": ["hush"]}"#, "registration.initial_access_tokens"),
            (#"{"access": "open", "client_secret_lifetime": 0}"#, "registration.client_secret_lifetime"),
            (#"{"access": "open", "rotate": ["hush"]}"#, "registration.rotate[0]"),
            (
                #"{"access": "open", "software_statement_issuers": {"a": {"keys": []}}}"#,
                "registration.software_statement_issuers.a"
            ),
            (#"{"access": "open", "acess": 1}"#, "registration.acess"),
        ]
    )
    func wrongRegistration(value: String, member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) {
            try await read(file(root: #""registration": \#(value),"#))
        }
        #expect(error?.member == member)
        #expect(error?.description.contains("hush") == false)
    }

    @Test("A hashed password is read unchanged")
    func hashed() async throws {
        var random = SystemRandomNumberGenerator()
        let hash = try PasswordHash(Secret("secret"), cost: .insecureForTests, using: &random)
        let file = try await read(file(user: "\"password_hash\": \"\(hash.encoded)\""))
        #expect(file.users.first?.passwordHash == hash)
    }

    @Test(
        "An error in a provider configuration names the member",
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
        "An error in a client's or user's configuration names the member, and repeats no secret",
        arguments: [
            (#", "client_secret": "hush", "token_endpoint_auth_method": "none""#, "clients[0].client_secret"),
            (#", "token_endpoint_auth_method": "client_secret_basic""#, "clients[0].client_secret"),
            (#", "token_endpoint_auth_method": "hush""#, "clients[0].token_endpoint_auth_method"),
            (#", "grant_types": ["implicit"]"#, "clients[0].grant_types[0]"),
            (#", "id_token_signed_response_alg": "none""#, "clients[0].id_token_signed_response_alg"),
            (#", "require_consent": "no""#, "clients[0].require_consent"),
            (#", "may_introspect": "yes""#, "clients[0].may_introspect"),
            (#"}, {"client_id": "app", "redirect_uris": ["app.example:/"]"#, "clients[1].client_id"),
        ]
    )
    func wrongClient(members: String, member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) { try await read(file(client: members)) }
        #expect(error?.member == member)
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "An error in a user's configuration names the member, and repeats no password",
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

    @Test(
        "A provider configuration file that cannot be read is named with the cause",
        arguments: [
            ("/nonexistent/provider.json", "No such file or directory"), ("/", "Is a directory"),
            ("/dev/zero", "it is larger than 1048576 bytes"),
        ]
    )
    func unreadable(path: String, cause: String) {
        let error = #expect(throws: ProviderConfigurationError.self) {
            var random = SystemRandomNumberGenerator()
            _ = try ProviderConfigurationFile(contentsOf: path, using: &random)
        }
        #expect(error?.description == "The file \(path) cannot be read: \(cause).")
    }

    @Test("A user's authenticator app is read, and the occasion on which its one-time password is requested")
    func oneTimePassword() async throws {
        let app = #""password": "p", "one_time_password": {"secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY", "digits": 8}"#
        let configuration = try await read(file(user: app, root: #""second_factor": "on_request","#))
            .configuration(for: try Issuer("http://127.0.0.1:9000"))
        let password = try #require(configuration.users[0].oneTimePassword)
        #expect(password.digits == 8 && password.period == .seconds(30) && password.algorithm == .sha1)
        #expect(configuration.secondFactor == .onRequest)
        let usual = try await read(file()).configuration(for: try Issuer("http://127.0.0.1:9000"))
        #expect(usual.users[0].oneTimePassword == nil && usual.secondFactor == .always)
    }

    @Test("The languages of the pages are read; English is the default, and no other tag is accepted")
    func languages() async throws {
        let issuer = try Issuer("http://127.0.0.1:9000")
        #expect(try await read(file()).configuration(for: issuer).languages == [.english])
        let two = try await read(file(root: #""languages": ["ja", "en"],"#))
        #expect(two.configuration(for: issuer).languages == [.japanese, .english])
        for (list, member) in [("[]", "languages"), (#"["en", "tlh"]"#, "languages[1]")] {
            let error = await #expect(throws: ProviderConfigurationError.self) {
                try await read(file(root: "\"languages\": \(list),"))
            }
            #expect(error?.member == member)
        }
    }

    @Test("The number of users in one browser is read; it is one by default, and no other word is accepted")
    func accounts() async throws {
        let issuer = try Issuer("http://127.0.0.1:9000")
        #expect(try await read(file()).configuration(for: issuer).accounts == .one)
        let several = try await read(file(root: #""accounts": "several","#))
        #expect(several.configuration(for: issuer).accounts == .several)
        let error = await #expect(throws: ProviderConfigurationError.self) {
            try await read(file(root: #""accounts": "many","#))
        }
        #expect(error?.member == "accounts" && error?.sentence == "This has to be one or several.")
    }

    @Test(
        "An authenticator app that cannot work is refused, and the error names the member and no secret",
        arguments: [
            (#"{}"#, "secret"), (#"{"secret": "AAAA"}"#, "secret"), (#"{"secret": "not base32 at all"}"#, "secret"),
            (#"{"secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY", "algorithm": "MD5"}"#, "algorithm"),
            (#"{"secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY", "digits": 5}"#, "digits"),
            (#"{"secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY", "period": 0}"#, "period"),
        ]
    )
    func wrongOneTimePassword(text: String, member: String) async throws {
        let user = #""password": "p", "one_time_password": "# + text
        let error = await #expect(throws: ProviderConfigurationError.self) { try await read(file(user: user)) }
        #expect(error?.member == "users[0].one_time_password.\(member)")
        #expect(error?.sentence.contains("AAAA") == false && error?.sentence.contains("not base32") == false)
    }

    @Test("A sub is ASCII: a name that is not needs one, and one that is not is refused")
    func subject() async throws {
        let accented = #"{"clients": [{"client_id": "a", "redirect_uris": ["http://127.0.0.1/"]}], "users": [USER]}"#
        func error(_ user: String) async throws -> ProviderConfigurationError? {
            do {
                _ = try await read(accented.replacing("USER", with: user))
                return nil
            } catch let error as ProviderConfigurationError { return error }
        }
        let unnamed = try await error(#"{"name": "zoë", "password": "p"}"#)
        #expect(unnamed?.member == "users[0].sub" && unnamed?.sentence.hasSuffix("add one.") == true)
        #expect(try await error(#"{"name": "zoë", "password": "p", "sub": "7"}"#) == nil)
        let wrong = try await error(#"{"name": "zoe", "password": "p", "sub": "zoë"}"#)
        #expect(wrong?.sentence == "This has to be 1 to 255 ASCII characters.")
        let long = String(repeating: "a", count: 256)
        #expect(try await error(#"{"name": "\#(long)", "password": "p"}"#)?.member == "users[0].sub")
    }

    @Test("A lifetime outside its range is refused", arguments: [#""authorization_code": 61"#, #""access_token": 0"#])
    func lifetimeRange(member: String) async throws {
        let error = await #expect(throws: ProviderConfigurationError.self) {
            try await read(file(root: #""lifetimes": {\#(member)},"#))
        }
        #expect(error?.member.hasPrefix("lifetimes.") == true)
    }
}
