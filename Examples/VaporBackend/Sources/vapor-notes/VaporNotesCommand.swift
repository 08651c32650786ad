import Foundation
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import OstiarySQLite
import OstiaryServer
import OstiaryVapor
import Vapor
import VaporNotes

/// Serves notes until SIGINT or SIGTERM.
@main
enum VaporNotesCommand {
    static func main() async throws {
        let store = try SQLiteServerStore(path: Environment.get("NOTES_SQLITE_FILE") ?? "notes.sqlite")
        let backend = try NotesBackend(settings(), store: store, transport: AsyncHTTPClientTransport())
        // An issuer that cannot be reached now is asked again with the first token.
        try? await backend.keys.warm()
        var environment = try Environment.detect()
        try LoggingSystem.bootstrap(from: &environment)
        let app = try await Application.make(environment)
        // A connection on which nothing comes ends.
        app.http.server.configuration.idleTimeout = .seconds(20)
        // A store removes nothing by itself, and grows with each request that proves a key.
        let cleaning = Task { await store.removeExpiredContinuously() }
        defer { cleaning.cancel() }
        let revoking = Task { await backend.revokePendingContinuously() }
        defer { revoking.cancel() }
        do {
            try backend.mount(on: app)
            try await app.execute()
        } catch {
            app.logger.report(error: error)
            try? await app.asyncShutdown()
            throw error
        }
        // The tokens for a presented refresh token are stored before the process ends.
        await backend.settle()
        try await app.asyncShutdown()
    }

    private static func settings() throws -> NotesSettings {
        guard let key = Data(base64Encoded: try required("NOTES_SEALING_KEY")) else {
            throw Missing(name: "NOTES_SEALING_KEY")
        }
        return NotesSettings(
            origin: try required("NOTES_ORIGIN"),
            issuer: try Issuer(required("NOTES_ISSUER")),
            clientID: try required("NOTES_CLIENT_ID"),
            clientSecret: Secret(try required("NOTES_CLIENT_SECRET")),
            sealing: SealingKeys(try SealingKeys.Key(id: "1", bytes: Array(key)))
        )
    }

    private static func required(_ name: String) throws -> String {
        guard let value = Environment.get(name), !value.isEmpty else { throw Missing(name: name) }
        return value
    }

    private struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "Set \(name): README.md says to what." }
    }
}
