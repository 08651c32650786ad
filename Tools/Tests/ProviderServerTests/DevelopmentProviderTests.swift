import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("The provider for demos")
struct DevelopmentProviderTests {
    private func development(password: Secret? = nil) throws -> DevelopmentProvider {
        var random = SystemRandomNumberGenerator()
        return try DevelopmentProvider(password: password, cost: .insecureForTests, using: &random)
    }

    @Test("A development provider's secrets are its own, and easy to type")
    func secrets() throws {
        let first = try development()
        let second = try development()
        #expect(first.password != second.password)
        #expect(first.webClientSecret != second.webClientSecret)
        #expect(first.password.reveal().wholeMatch(of: /[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}/) != nil)
    }

    @Test("The development user has the given password")
    func password() throws {
        let configuration = try development(password: Secret("given")).configuration(
            for: try Issuer("http://127.0.0.1:1")
        )
        let alice = try #require(configuration.users.first { $0.name == DevelopmentProvider.userName })
        #expect(alice.passwordHash.matches(Secret("given")))
    }

    @Test(
        "The sub of the development user follows the name, in at most 255 ASCII characters",
        arguments: [
            ("bob", "user-bob"), ("zoë", "user-zo%C3%AB"), ("a b%", "user-a b%"),
            (String(repeating: "a", count: 300), "user-" + String(repeating: "a", count: 250)),
        ]
    )
    func subject(name: String, subject: String) throws {
        var provider = try development()
        provider.rename(name)
        let configuration = try provider.configuration(for: try Issuer("http://127.0.0.1:1"))
        #expect(configuration.users.map(\.name) == [name] && configuration.users.map(\.subject) == [subject])
    }

    @Test("The development app is a public client with a redirect URI on any loopback port")
    func app() throws {
        let configuration = try development().configuration(for: try Issuer("http://127.0.0.1:1"))
        let app = try #require(configuration.clients.first { $0.id == DevelopmentProvider.appClientID })
        #expect(app.authenticationMethod.name == "none")
        #expect(app.redirectURIs.map(\.description) == ["http://127.0.0.1/callback", "http://[::1]/callback"])
        #expect(app.postLogoutRedirectURIs.contains { $0.description == "http://127.0.0.1/callback" })
    }

    @Test("The two development clients accept further redirect URIs")
    func redirectURIs() throws {
        var provider = try development()
        provider.redirectURIs = [try RedirectURI("http://localhost:3000/cb")]
        for client in try provider.configuration(for: try Issuer("http://127.0.0.1:1")).clients {
            #expect(client.redirectURIs.map(\.description).contains("http://localhost:3000/cb"))
        }
    }

    @Test("The development web client is confidential")
    func web() throws {
        let configuration = try development().configuration(for: try Issuer("http://127.0.0.1:1"))
        let web = try #require(configuration.clients.first { $0.id == DevelopmentProvider.webClientID })
        #expect(web.authenticationMethod.name == "client_secret_basic")
    }
}
