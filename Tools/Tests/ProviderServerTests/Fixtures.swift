import Foundation
import Logging
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// A provider's configuration for tests: one client, one user, cheap passwords and keys.
enum Fixtures {
    static let clientID = "app"
    static let userName = "alice"
    static let password = "correct horse"
    static let redirectURI = "http://127.0.0.1:49152/callback"
    static let verifier = String(repeating: "v", count: 43)

    static func configuration(_ issuer: Issuer, clientName: String = "The App") throws -> ProviderConfiguration {
        var random = SystemRandomNumberGenerator()
        return ProviderConfiguration(
            issuer: issuer,
            clients: [
                RegisteredClient(
                    id: clientID,
                    name: clientName,
                    redirectURIs: [try RedirectURI("http://127.0.0.1/callback")]
                ),
                RegisteredClient(
                    id: "tv",
                    name: "The Television",
                    redirectURIs: [],
                    grantTypes: [.deviceCode, .refreshToken]
                ),
            ],
            users: [
                ProviderUser(
                    name: userName,
                    passwordHash: try PasswordHash(Secret(password), cost: .insecureForTests, using: &random),
                    subject: "subject-of-alice"
                )
            ],
            signingAlgorithms: [.es256]
        )
    }

    /// Runs a provider on a free port for as long as the body takes.
    @discardableResult
    static func withProvider<Value>(
        clientName: String = "The App",
        manners: ProviderManners = .strict,
        storage: any ProviderStorage = MemoryProviderStorage(),
        port: Int = 0,
        issuer: Issuer? = nil,
        logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
        _ body: (RunningProvider) async throws -> Value
    ) async throws -> Value {
        let running = try await ProviderServer.start(at: .loopback(port: port), issuer: issuer, logger: logger) {
            var configuration = try configuration($0, clientName: clientName)
            configuration.manners = manners
            return try await Provider.forPeople(configuration, storage: storage)
        }
        do {
            let value = try await body(running)
            await running.stop()
            return value
        } catch {
            await running.stop()
            throw error
        }
    }

    /// A path for a file that goes away with the body.
    @discardableResult
    static func withTemporaryFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path)
    }
}
