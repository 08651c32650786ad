import Foundation
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiaryTesting

/// A PostgreSQL server of the tests' own, in a temporary folder; it ends with the process of the tests.
///
/// PostgreSQL refuses to run as root, so that root lets its own user `postgres` do it.
actor PostgreSQLServer {
    static let password = Secret("pass word'\\")
    nonisolated let folder: URL
    nonisolated let port: Int
    private let script: Conversation
    private nonisolated let programs: String

    /// The server of all tests that do not end theirs.
    private static let shared = Task { try await PostgreSQLServer() }

    static func common() async throws -> PostgreSQLServer { try await shared.value }

    /// Makes a cluster and starts its server, which takes about a second.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-pg-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        port = try FreePort.find()
        programs = try Self.findPrograms()
        try Self.password.reveal().write(to: folder.appending(path: "password"), atomically: false, encoding: .utf8)
        script = try Conversation("/bin/sh", ["-c", Self.life, "life", folder.path, programs, String(port)])
        try await script.expect("ready")
    }

    /// Ends the server as a crash does: without a word to any client.
    func crash() async throws { try await script.ask("crash") }

    /// Starts the server again, and waits until it answers.
    func start() async throws { try await script.ask("start") }

    /// Makes an empty database.
    ///
    /// - Returns: The configuration that reaches it through the socket of this machine.
    func database(_ change: @Sendable (inout PostgreSQLConfiguration) -> Void = { _ in }) async throws
        -> PostgreSQLConfiguration
    {
        let name = "t\(UUID().uuidString.prefix(8).lowercased())"
        try await run("CREATE DATABASE \(name)", in: "postgres")
        var configuration = try PostgreSQLConfiguration(
            host: folder.path,
            port: port,
            database: name,
            user: "app",
            password: Self.password,
            security: .none
        )
        configuration.connections = 4
        change(&configuration)
        return configuration
    }

    /// Runs a statement with `psql`, beside the service.
    ///
    /// - Returns: The output.
    @discardableResult
    nonisolated func run(_ statement: String, in database: String) async throws -> String {
        let conversation = try Conversation(
            "\(programs)/psql",
            ["-XqAt", "-h", folder.path, "-p", String(port), "-U", "app", "-d", database, "-c", statement],
            environment: ["PGPASSWORD": Self.password.reveal()]
        )
        return try await conversation.finish()
    }

    private static func findPrograms() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest = versions.compactMap(Int.init).max() else { throw PostgreSQLMissing() }
        return "\(root)/\(newest)/bin"
    }

    /// The server's life: started, crashed and started again by commands, and ended with the process that sends them.
    private static let life = """
        set -eu
        folder=$1 bin=$2 port=$3
        as=
        cd /
        if [ "$(id -u)" = 0 ]; then as="runuser -u postgres --"; chown -R postgres "$folder"; fi
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=other \
            -keyout /dev/null -out "$folder/other.pem" 2>/dev/null
        [ -z "$as" ] || chown postgres "$folder/key.pem"
        chmod 600 "$folder/key.pem"
        $as "$bin/initdb" -D "$folder/data" -A scram-sha-256 --pwfile="$folder/password" -U app --no-sync -E UTF8 \
            --locale=C.UTF-8 >/dev/null
        cat >>"$folder/data/postgresql.conf" <<END
        fsync = off
        full_page_writes = off
        shared_buffers = 32MB
        max_connections = 60
        ssl = on
        ssl_cert_file = '$folder/certificate.pem'
        ssl_key_file = '$folder/key.pem'
        END
        start() {
            $as "$bin/pg_ctl" -D "$folder/data" -s -w -l "$folder/log" -o "-p $port -h 127.0.0.1 -k $folder" start \
                >/dev/null </dev/null
        }
        trap '$as "$bin/pg_ctl" -D "$folder/data" -s -m immediate stop >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
        start
        echo ready
        while read -r word; do
            case "$word" in
            crash) $as "$bin/pg_ctl" -D "$folder/data" -s -w -m immediate stop >/dev/null ;;
            start) start ;;
            esac
            echo ready
        done
        """
}

/// Debian's `postgresql` is missing; `scripts/setup.sh` installs it.
struct PostgreSQLMissing: Error {}
