import Hummingbird
import HummingbirdCore
import NotesBackend
import OstiaryAsyncHTTPClient
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiarySQLite
import OstiaryServer

/// Serves notes until SIGINT or SIGTERM.
@main
enum NotesCommand {
    static func main() async throws {
        let environment = Environment()
        let store = try await store(environment)
        let backend = try NotesBackend(environment.settings(), store: store, transport: AsyncHTTPClientTransport())
        // An issuer that cannot be reached now is asked again with the first token.
        try? await backend.keys.warm()
        let application = Application(
            router: try backend.router(),
            server: .http1(configuration: limits),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: environment["NOTES_PORT"].flatMap { Int($0) } ?? 8080)
            )
        )
        // A store removes nothing by itself, and grows with each request that proves a key.
        let cleaning = Task { await store.removeExpiredContinuously() }
        defer { cleaning.cancel() }
        let revoking = Task { await backend.revokePendingContinuously() }
        defer { revoking.cancel() }
        try await application.runService()
        // The tokens for a presented refresh token are stored before the process ends.
        await backend.settle()
    }

    /// A file is enough for one instance; several share a database.
    private static func store(_ environment: Environment) async throws -> any ServerStore {
        guard let host = environment["NOTES_POSTGRESQL_HOST"] else {
            return try SQLiteServerStore(path: environment["NOTES_SQLITE_FILE"] ?? "notes.sqlite")
        }
        let store = PostgreSQLServerStore(
            try PostgreSQLConfiguration(
                host: host,
                database: environment.required("NOTES_POSTGRESQL_DATABASE"),
                user: environment.required("NOTES_POSTGRESQL_USER"),
                password: environment["NOTES_POSTGRESQL_PASSWORD"].map(Secret.init),
                security: .verified(certificateAuthorities: "/etc/ssl/certs/ca-certificates.crt")
            )
        )
        try await store.migrate()
        return store
    }

    /// A slow client holds a connection for twenty seconds and no longer.
    private static var limits: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(.seconds(20)), UpgradeRefusalHandler()],
            idleTimeout: .seconds(20)
        )
    }
}
