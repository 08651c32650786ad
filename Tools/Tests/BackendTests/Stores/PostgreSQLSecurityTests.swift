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

    @Test("A server without TLS is refused when the configuration asks for it")
    func withoutTLS() async throws {
        let other = try await PostgreSQLServer()
        try await other.run("ALTER SYSTEM SET ssl = off", in: "postgres")
        try await other.run("SELECT pg_reload_conf()", in: "postgres")
        let failures = Failures()
        var configuration = try await other.database {
            $0.host = "127.0.0.1"
            $0.security = .encryptedWithoutVerification
        }
        configuration.connectTime = .seconds(2)
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        await #expect(throws: StorageFailure.unavailable) { _ = try await store.verification(of: "somebody") }
        #expect("\(failures.all)".contains("does not offer TLS"))
    }

    @Test("A file of authorities that cannot be read is named in the error")
    func missingFile() async throws {
        try await expectRefusal("/nowhere/authorities.pem") {
            $0.host = "localhost"
            $0.security = .verified(certificateAuthorities: "/nowhere/authorities.pem")
        }
    }

    @Test(
        "A password outside ASCII is accepted in each of its spellings, as with other clients of PostgreSQL",
        arguments: ["Stra\u{DF}e \u{2168}", "e\u{301}a\u{AD}\u{A0}b", "\u{E9}a b"]
    )
    func password(text: String) async throws {
        let server = try await PostgreSQLServer.common()
        let role = "r\(UUID().uuidString.prefix(8).lowercased())"
        try await server.run("CREATE ROLE \(role) LOGIN PASSWORD '\(text)'", in: "postgres")
        var configuration = try PostgreSQLConfiguration(
            host: server.folder.path,
            port: server.port,
            database: "postgres",
            user: role,
            password: Secret(text),
            security: .none
        )
        configuration.connections = 1
        let failures = Failures()
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        // The tables are missing, which a user hears after signing in.
        await #expect(throws: PostgreSQLFailure.refused("read the schema's version", state: "42P01")) {
            try await store.schemaVersion()
        }
        await store.close()
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
