import Foundation
import HTTPTypes
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization

/// A vendor's system on a port of this machine; its users' passwords are cheap to check.
struct TestSystem {
    let tool: CommandLineTool
    let origin: String
    private let configuration: ProviderConfiguration
    /// The secret of the service that registers apps, or of the partner's backend.
    let backendSecret: String
    private let user: String
    private let password: String
    private let folder: TemporaryFolder
    private let seen: Seen

    /// The requests so far.
    private final class Seen: Sendable {
        private let list = Mutex<[ProviderRequest]>([])
        func add(_ request: ProviderRequest) { list.withLock { $0.append(request) } }
        var all: [ProviderRequest] { list.withLock { $0 } }
    }

    /// Runs a body against a system, then stops it.
    ///
    /// - Parameter change: Changes what the system responds.
    static func running(
        _ system: VendorSystem,
        changing change: @escaping @Sendable (ProviderRequest, inout ProviderResponse) -> Void = { _, _ in },
        _ body: (TestSystem) async throws -> Void
    ) async throws {
        var random = SecureRandom()
        let development = DevelopmentSystem(system, using: &random)
        let seen = Seen()
        let scenario = Scenario(name: "watched") {
            $0.response = { request, response in
                seen.add(request)
                change(request, &response)
            }
        }
        let server = try await ProviderServer.start { origin in
            var random = SecureRandom()
            let provider = Provider(
                configuration: try development.configuration(at: origin, cost: .insecureForTests, using: &random),
                clock: .system,
                random: SecureRandom(),
                scenario: scenario
            )
            try await provider.prepare()
            return provider
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let secrets = KnownSecrets()
        secrets.add(development.password.reveal())
        secrets.add(development.backendSecret.reveal())
        let stage = TestSystem(
            tool: CommandLineTool(
                environment: ["XDG_STATE_HOME": folder.path("state"), "XDG_CONFIG_HOME": folder.path("config")],
                secrets: secrets
            ),
            origin: "http://127.0.0.1:\(server.port)",
            configuration: server.provider.configuration,
            backendSecret: development.backendSecret.reveal(),
            user: development.userName,
            password: development.password.reveal(),
            folder: folder,
            seen: seen
        )
        do {
            try await body(stage)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    var issuer: String { configuration.issuer.description }
    /// The app's client; empty where an app registers itself.
    var clientID: String { configuration.clients.first?.id ?? "" }

    /// Options that sign the user in without one.
    var person: [String] {
        get throws {
            [
                "--user-agent", "http", "--http-user", user, "--http-password-file",
                try folder.secretFile("password", password),
            ]
        }
    }

    /// Writes a file.
    func file(_ name: String, _ content: String) throws -> String { try folder.secretFile(name, content) }

    /// The requests that were posted to a path that ends with this text.
    func posts(to suffix: String) -> [ProviderRequest] {
        seen.all.filter { $0.method == .post && $0.path.hasSuffix(suffix) }
    }
}
