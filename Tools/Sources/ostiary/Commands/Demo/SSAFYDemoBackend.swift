import Backend
import Foundation
import Logging
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import OstiaryServer
import ProviderServer

/// A partner's backend: the service that one deploys, with an SQLite file that is gone after the demo.
struct SSAFYDemoBackend {
    static let clientID = "ssafy-partner"

    /// The URL to which the app sends its code.
    let url: URL
    private let server: RunningBackend
    private let folder: URL
    private let store: StoreSettings

    /// Starts it.
    init(stage: DemoStage) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        do {
            let file = folder.appending(path: "backend.json")
            try Data(Self.settings(stage.issuer).encoded()).write(to: file)
            var random = SystemRandomNumberGenerator()
            let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            let configuration = try BackendConfiguration(
                contentsOf: file.path,
                environment: [
                    "CLIENT_SECRET": stage.development.backendSecret.reveal(),
                    "SEALING_KEY": key.base64EncodedString(),
                ]
            )
            store = configuration.store
            let silent = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
            server = try await BackendServer.start(configuration, logger: silent)
            guard let url = URL(string: "http://127.0.0.1:\(server.port)/ssafy/verify") else { throw URLError(.badURL) }
            self.url = url
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        stage.narration.step("The backend listens at \(url), with an SQLite file of its own.")
    }

    /// Returns the backend's record of a user, as a table.
    func record(of subject: String) async throws -> String? {
        let store = try BackendStore(store)
        let record = try await store.store.verification(of: subject)
        await store.close()
        guard let record else { return nil }
        var table = ClaimsTable()
        table.add("sub", record.subject)
        table.add("verified", String(record.verified))
        table.add("cohort", record.cohort ?? "")
        table.add("campus", record.campus ?? "")
        table.add("verifiedAt", record.verifiedAt.formatted(.iso8601))
        return table.text
    }

    /// Ends it, and removes its file.
    func stop() async {
        await server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func settings(_ issuer: Issuer) -> JSONObject {
        [
            "listen": ["port": 0],
            "origins": ["http://127.0.0.1"],
            "store": ["type": "sqlite", "path": "backend.sqlite"],
            "sealing_keys": [["id": "1", "key": ["environment": "SEALING_KEY"]]],
            "ssafy": [
                "issuer": .string(issuer.description), "client_id": .string(clientID),
                "client_secret": ["environment": "CLIENT_SECRET"],
                "redirect_uris": ["http://127.0.0.1/ssafy/callback"],
            ],
        ]
    }
}
