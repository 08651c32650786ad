import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization
import Testing

@Suite("Parameters of a sign-in, and servers without metadata", .fewAtOnce)
struct RequestParameterTranscripts {
    @Test("Further parameters, a login hint and an audience reach the authorization endpoint")
    func parameters() async throws {
        let queries = Mutex<[String]>([])
        try await TestProvider.running({ scenario in
            scenario.response = { request, _ in
                if request.path == "/authorize", let query = request.query { queries.withLock { $0.append(query) } }
            }
        }) { provider async throws in
            let login = try await provider.tool.run(
                try provider.login(
                    "--par",
                    "never",
                    "--login-hint",
                    "alice@example.com",
                    "--audience",
                    "orders",
                    "--param",
                    "access_type=offline",
                    "--param",
                    "hd=a=b"
                )
            )
            #expect(login.status == 0)
            let query = try #require(queries.withLock { $0.first })
            for part in ["login_hint=alice%40example.com", "audience=orders", "access_type=offline", "hd=a%3Db"] {
                #expect(query.contains(part))
            }
            let own = try await provider.tool.run(try provider.login("--param", "state=mine"))
            #expect(own.status == 3 && own.error.contains("state is set by the request itself"))
            let nameless = try await provider.tool.run(try provider.login("--param", "=mine"))
            #expect(nameless.status == 2)
        }
    }

    /// A provider whose metadata cannot be found.
    private func withoutMetadata(_ body: (TestProvider) async throws -> Void) async throws {
        try await TestProvider.running(
            { scenario in
                scenario.response = { request, response in
                    if request.path.contains("/.well-known/") { response = ProviderResponse(status: .notFound) }
                }
            },
            body
        )
    }

    @Test("At a server without metadata the endpoints are given by hand, and stored with the profile")
    func endpoints() async throws {
        try await withoutMetadata { provider async throws in
            let tool = provider.tool
            let login = try provider.login("--par", "never")
            let lost = try await tool.run(login)
            #expect(lost.status == 3 && lost.error.contains("answered with status 404"))
            let signedIn = try await tool.run(
                login + [
                    "--authorization-endpoint", provider.issuer + "/authorize", "--token-endpoint",
                    provider.issuer + "/token", "--jwks-uri", provider.issuer + "/jwks", "--userinfo-endpoint",
                    provider.issuer + "/userinfo",
                ]
            )
            #expect(signedIn.status == 0)
            #expect(try await tool.run(["refresh"]).status == 0)
            #expect(try await tool.run(["userinfo"]).status == 0)
            let plain = try await tool.run(login + ["--token-endpoint", "http://id.example.com/token"])
            #expect(plain.status == 2 && plain.error.contains("token_endpoint is not an https URL"))
        }
    }

    @Test("A file of metadata stands in for the issuer's, and metadata of another issuer is refused")
    func metadataFile() async throws {
        try await withoutMetadata { provider async throws in
            let metadata: JSONObject = [
                "issuer": .string(provider.issuer),
                "authorization_endpoint": .string(provider.issuer + "/authorize"),
                "token_endpoint": .string(provider.issuer + "/token"), "jwks_uri": .string(provider.issuer + "/jwks"),
            ]
            let file = try provider.folder.secretFile("metadata", String(decoding: metadata.encoded(), as: UTF8.self))
            let login = try await provider.tool.run(try provider.login("--metadata", file))
            #expect(login.status == 0)
            let other = [
                "login", "--issuer", "https://id.example.com", "--client-id", "a", "--metadata", file, "--store",
                "memory",
            ]
            let refused = try await provider.tool.run(other)
            #expect(refused.status == 2 && refused.error.contains("is of the issuer \(provider.issuer)"))
        }
    }

    @Test("A client's own token is printed in each form, and not stored")
    func clientCredentials() async throws {
        try await TestProvider.running(configuring: { configuration in
            for index in configuration.clients.indices where configuration.clients[index].id == "basic" {
                configuration.clients[index].grantTypes.insert(.clientCredentials)
            }
            let orders = Scope(rawValue: "orders")
            configuration.additionalScopes = [ProviderScope(orders, sentence: "Read orders")]
            configuration.resources[0].scopes = [orders]
            for index in configuration.clients.indices where configuration.clients[index].id == "basic" {
                configuration.clients[index].allowedScopes = [orders]
            }
        }) { provider async throws in
            let tool = provider.tool
            let client = [
                "client-credentials", "--issuer", provider.issuer, "--client-id", "basic", "--client-secret-env",
                "OSTIARY_TEST_SECRET", "--resource", TestProvider.resource, "--scope", "orders",
            ]
            let raw = try await tool.run(client, printing: .onPurpose)
            #expect(raw.status == 0 && raw.output.split(separator: ".").count == 3)
            let curl = try await tool.run(client + ["--format", "curl"], printing: .onPurpose)
            #expect(curl.output.hasPrefix("header = \"Authorization: Bearer eyJ"))
            #expect(try await tool.run(["token"]).status == 6)
            let withoutSecret = try await tool.run([
                "client-credentials", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID,
            ])
            #expect(withoutSecret.status == 2 && withoutSecret.error.contains("needs its secret or key"))
        }
    }

    @Test("The ID token and a credential for kubectl are printed on request")
    func identityToken() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let raw = try await tool.run(["token", "--id-token"], printing: .onPurpose)
            #expect(raw.status == 0)
            let decoded = try await tool.run(
                ["jwt", "decode", try provider.folder.secretFile("id", String(raw.output.dropLast())), "--json"]
            )
            #expect(try decoded.json()["claims"]?.object?["aud"]?.string == DevelopmentProvider.appClientID)
            let kubectl = try await tool.run(["token", "--id-token", "--format", "kubectl"], printing: .onPurpose)
            let credential = try JSONObject(parsing: Array(kubectl.output.utf8))
            #expect(credential["kind"] == "ExecCredential")
            #expect(credential["apiVersion"] == "client.authentication.k8s.io/v1")
            #expect(credential["status"]?.object?["token"]?.string == String(raw.output.dropLast()))
            #expect(credential["status"]?.object?["expirationTimestamp"]?.string?.hasSuffix("Z") == true)
            #expect(try await tool.run(["token", "--id-token", "--format", "curl"]).status == 2)
        }
    }

    @Test("git and docker get the token for the named hosts alone")
    func credentialHelpers() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let token = String(try await tool.run(["token"], printing: .onPurpose).output.dropLast())
            let git = "ostiary credential git --host git.example.com get"
            let asked = try await tool.runInShell("printf 'protocol=https\\nhost=git.example.com\\n\\n' | " + git)
            #expect(asked.status == 0)
            #expect(asked.output.hasPrefix("username=oauth2\npassword=\(token)\npassword_expiry_utc="))
            for other in ["protocol=https\\nhost=other.example.com", "protocol=http\\nhost=git.example.com"] {
                let refused = try await tool.runInShell("printf '\(other)\\n\\n' | " + git)
                #expect(refused.status == 0 && refused.output.isEmpty)
            }
            let docker = "ostiary credential docker --host registry.example.com get"
            let answer = try await tool.runInShell("echo https://registry.example.com | " + docker)
            let credential = try JSONObject(parsing: Array(answer.output.utf8))
            #expect(credential["ServerURL"] == "https://registry.example.com")
            #expect(credential["Username"] == "oauth2" && credential["Secret"]?.string == token)
            let refused = try await tool.runInShell("echo https://other.example.com | " + docker)
            #expect(refused.status == 1 && refused.output == "credentials not found in native keychain\n")
        }
    }

    @Test("The status says whether a profile is signed in, and its exit status is for scripts")
    func status() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(["status"]).status == 6)
            #expect(try await tool.run(try provider.login()).status == 0)
            let words = try await tool.run(["status"])
            #expect(words.status == 0 && words.output.hasPrefix("Signed in (profile \"default\")\n"))
            #expect(words.output.contains("  access token  valid for ") && words.output.contains("  user          "))
            let json = try await tool.run(["status", "--json"]).json()
            #expect(json["subject"] == "user-alice" && json["refreshable"] == true)
            #expect(try await tool.run(["logout"]).status == 0)
            #expect(try await tool.run(["status"]).status == 6)
        }
    }
}
