import Foundation
import OstiaryPostgreSQL

/// Debian's PgBouncer before a PostgreSQL server; it ends with the process of the tests.
final class PgBouncerServer: Sendable {
    static let program = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let port: Int
    private let folder: URL
    private let script: Conversation

    /// When a client gives its server connection back.
    enum Mode: String, CaseIterable { case session, transaction, statement }

    /// Starts it with two server connections for each database, fewer than there are clients, and with more by the session:
    /// a client keeps its own.
    init(before server: PostgreSQLServer, by mode: Mode) async throws {
        port = try FreePort.find()
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-pool-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("\"app\" \"\(PostgreSQLServer.password.reveal())\"\n".utf8)
            .write(to: folder.appending(path: "users.txt"))
        let settings = """
            [databases]
            * = host=\(server.folder.path) port=\(server.port)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = scram-sha-256
            auth_file = \(folder.path)/users.txt
            pool_mode = \(mode.rawValue)
            default_pool_size = \(mode == .session ? 16 : 2)
            max_client_conn = 100

            """
        try Data(settings.utf8).write(to: folder.appending(path: "pgbouncer.ini"))
        script = try Conversation("/bin/bash", ["-c", Self.life, "life", folder.path, Self.program, String(port)])
        try await script.expect("ready")
    }

    private static let life = """
        set -eu
        folder=$1 program=$2 port=$3
        as=
        if [ "$(id -u)" = 0 ]; then as="runuser -u postgres --"; chown -R postgres "$folder"; fi
        $as "$program" -q "$folder/pgbouncer.ini" >/dev/null 2>&1 </dev/null &
        pid=$!
        trap 'kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
        until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do kill -0 "$pid"; done
        echo ready
        while read -r word; do :; done
        """
}
