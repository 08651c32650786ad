import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The development provider on a port of this machine, watched for the secrets that it gives out.
struct TestProvider {
    static let password = "correct horse battery"
    static let clientSecret = "s3cr:t/of a+client"
    static let resource = "https://api.example.com"

    let server: RunningProvider
    let secrets: KnownSecrets
    let folder: TemporaryFolder

    var issuer: String { server.issuer.description }

    /// Runs a body against a provider, then stops it.
    static func running(
        _ change: (inout Scenario) -> Void = { _ in },
        lifetimes: ProviderConfiguration.Lifetimes = .init(),
        delay: @escaping @Sendable (_ path: String) async -> Void = { _ in },
        configuring configure: @escaping @Sendable (inout ProviderConfiguration) throws -> Void = { _ in },
        _ body: (TestProvider) async throws -> Void
    ) async throws {
        let secrets = KnownSecrets()
        secrets.add(password)
        secrets.add(clientSecret)
        let scenario = Scenario(name: "watched") { scenario in
            change(&scenario)
            let alterResponse = scenario.authorizationResponse
            scenario.authorizationResponse = { parameters in
                secrets.add(parameters[.code])
                alterResponse(&parameters)
            }
            let alterTokens = scenario.tokenResponse
            scenario.tokenResponse = { object, type in
                for name in ["access_token", "refresh_token", "id_token"] { secrets.add(object[name]?.string) }
                alterTokens(&object, type)
            }
            let alterRegistration = scenario.registration
            scenario.registration = { object in
                for name in ["client_secret", "registration_access_token"] { secrets.add(object[name]?.string) }
                alterRegistration(&object)
            }
            let alterDevice = scenario.deviceAuthorization
            scenario.deviceAuthorization = { object in
                secrets.add(object["device_code"]?.string)
                object["interval"] = 1
                alterDevice(&object)
            }
        }
        var random = SecureRandom()
        let development = try DevelopmentProvider(
            password: Secret(password),
            cost: .insecureForTests,
            using: &random
        )
        let server = try await ProviderServer.start(delay: delay) { issuer in
            var configuration = try development.configuration(for: issuer)
            configuration.signingAlgorithms = [.es256]
            configuration.lifetimes = lifetimes
            configuration.clients += [
                try confidential("basic", .clientSecretBasic(SecretDigest(of: Secret(clientSecret)))),
                try confidential("post", .clientSecretPost(SecretDigest(of: Secret(clientSecret)))),
            ]
            configuration.clients[0].grantTypes.formUnion([.deviceCode, .tokenExchange])
            configuration.resources = [ProviderResource(identifier: resource, name: "An API")]
            try configure(&configuration)
            let provider = Provider(
                configuration: configuration,
                clock: .system,
                random: SecureRandom(),
                scenario: scenario
            )
            try await provider.prepare()
            return provider
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        do {
            try await body(TestProvider(server: server, secrets: secrets, folder: folder))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// A client for the configuration.
    static func confidential(
        _ id: String,
        _ method: RegisteredClient.AuthenticationMethod
    ) throws -> RegisteredClient {
        RegisteredClient(
            id: id,
            name: id,
            authenticationMethod: method,
            redirectURIs: [try RedirectURI("http://127.0.0.1/callback")],
            grantTypes: [.authorizationCode, .refreshToken, .tokenExchange],
            userInfoAlgorithm: id == "post" ? .es256 : nil
        )
    }

    /// The executable, with a store and secrets of this test.
    var tool: CommandLineTool {
        CommandLineTool(
            environment: [
                "XDG_STATE_HOME": folder.path("state"), "XDG_CONFIG_HOME": folder.path("config"),
                "OSTIARY_TEST_SECRET": Self.clientSecret,
            ],
            secrets: secrets
        )
    }

    /// The arguments of a sign-in without a user.
    func login(_ more: String..., client: String = DevelopmentProvider.appClientID) throws -> [String] {
        try login(password: Self.password, client: client) + more
    }

    /// The arguments of a sign-in with another password.
    func login(password: String, client: String = DevelopmentProvider.appClientID) throws -> [String] {
        secrets.add(password)
        return [
            "login", "--issuer", issuer, "--client-id", client, "--user-agent", "http", "--http-user",
            DevelopmentProvider.userName, "--http-password-file", try folder.secretFile("password", password),
        ]
    }
}
