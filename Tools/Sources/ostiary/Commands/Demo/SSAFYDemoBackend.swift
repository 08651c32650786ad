import Foundation
import Hummingbird
import Logging
import Ostiary
import OstiaryHummingbird
import OstiaryOAuth
import OstiarySQLite
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import ProviderServer
import ServiceLifecycle

/// A partner's backend: one route of the backend kit, with an SQLite file that is gone after the demo.
struct SSAFYDemoBackend {
    static let clientID = "ssafy-partner"

    /// The URL to which the app sends its code.
    let url: URL
    private let group: ServiceGroup
    private let task: Task<Void, any Error>
    private let store: SQLiteServerStore
    private let folder: URL

    /// Starts it.
    init(stage: DemoStage) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        do {
            store = try SQLiteServerStore(path: folder.appending(path: "backend.sqlite").path)
            let handoff = try SSAFYHandoff(
                SSAFYServerConfiguration(
                    clientID: Self.clientID,
                    clientSecret: stage.development.backendSecret,
                    redirectURIs: ["http://127.0.0.1/ssafy/callback"],
                    issuer: stage.issuer.description
                ),
                store: store,
                sealing: SealingKeys(.random()),
                transport: commandTransport
            )
            (url, group, task) = try await Self.serve(handoff)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        stage.narration.step("The backend listens at \(url), with an SQLite file of its own.")
    }

    /// Serves the endpoint on any free port of this machine.
    private static func serve(_ handoff: SSAFYHandoff) async throws -> (URL, ServiceGroup, Task<Void, any Error>) {
        let silent = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
        let router = Router(context: BasicRequestContext.self)
        router.add(handoff, at: "/ssafy/verify")
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let bound = channel.localAddress?.port { port.yield(bound) }
                port.finish()
            },
            logger: silent
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application],
                gracefulShutdownSignals: [],
                logger: silent
            )
        )
        let task = Task {
            defer { port.finish() }
            try await group.run()
        }
        guard let bound = await ports.first(where: { _ in true }),
            let url = URL(string: "http://127.0.0.1:\(bound)/ssafy/verify")
        else {
            await group.triggerGracefulShutdown()
            try await task.value
            throw CancellationError()
        }
        return (url, group, task)
    }

    /// Returns the backend's record of a user, as a table.
    func record(of subject: String) async throws -> String? {
        guard let record = try await store.verification(of: subject) else { return nil }
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
        await group.triggerGracefulShutdown()
        _ = await task.result
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }
}
