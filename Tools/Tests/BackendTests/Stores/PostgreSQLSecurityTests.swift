import Foundation
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiaryServer
import Testing

@Suite("The way to PostgreSQL")
struct PostgreSQLSecurityTests {
    @Test(
        "A certificate that a given authority signed for the host's name is accepted, and the connection is encrypted"
    )
    func verified() async throws {
        let server = try await PostgreSQLServer.common()
        let certificate = server.folder.appending(path: "certificate.pem").path
        let configuration = try await server.database {
            $0.host = "localhost"
            $0.security = .verified(certificateAuthorities: certificate)
        }
        let store = PostgreSQLServerStore(configuration)
        try await store.migrate()
        let encrypted = try await server.run(
            "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'ostiary' AND datname = current_database()",
            in: configuration.database
        )
        #expect(encrypted == "t")
    }

    @Test("A certificate for another name is refused")
    func otherName() async throws {
        let server = try await PostgreSQLServer.common()
        let certificate = server.folder.appending(path: "certificate.pem").path
        try await expectRefusal("certificate") {
            $0.host = "127.0.0.1"
            $0.security = .verified(certificateAuthorities: certificate)
        }
    }

    @Test("A certificate of an unknown authority is refused")
    func unknownAuthority() async throws {
        let other = try await PostgreSQLServer.common().folder.appending(path: "other.pem").path
        try await expectRefusal("certificate") {
            $0.host = "localhost"
            $0.security = .verified(certificateAuthorities: other)
        }
    }

    @Test("A configuration that could mean other settings is refused", arguments: ["a=b", "postgresql://x", ""])
    func configuration(database: String) {
        #expect(throws: SignInError.self) {
            _ = try PostgreSQLConfiguration(host: "h", database: database, user: "u", security: .none)
        }
    }

    private func expectRefusal(
        _ word: String,
        _ change: @Sendable (inout PostgreSQLConfiguration) -> Void
    ) async throws {
        let failures = Failures()
        var configuration = try await PostgreSQLServer.common().database(change)
        configuration.connectTime = .seconds(2)
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        await #expect(throws: StorageFailure.unavailable) { _ = try await store.verification(of: "somebody") }
        #expect("\(failures.all)".contains(word))
    }
}
