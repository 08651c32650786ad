import Foundation
import OstiaryOAuth
import OstiaryValkey

/// A Valkey server of a test's own, or Debian's Redis, in a temporary folder; it ends with the process of the tests.
final class ValkeyServer: Sendable {
    static let password = Secret("pass word'\\")
    let folder: URL
    let port: Int
    private let script: Conversation

    /// Starts it with further settings.
    init(_ settings: String...) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-kv-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        port = try FreePort.find()
        try Data(settings.joined(separator: "\n").utf8).write(to: folder.appending(path: "more.conf"))
        script = try Conversation("/bin/bash", ["-c", Self.life, "life", folder.path, String(port)])
        try await script.expect("ready")
    }

    /// Ends the server as a crash does.
    func crash() async throws { try await script.ask("crash") }

    /// Starts the server again, and waits until it answers.
    func start() async throws { try await script.ask("start") }

    /// Lets the server answer nothing more.
    func freeze() async throws { try await script.ask("freeze") }

    /// Lets a frozen server go on.
    func thaw() async throws { try await script.ask("thaw") }

    /// Sends a command, beside the service.
    func run(_ command: String) async throws { try await script.ask(command) }

    /// The configuration that reaches it.
    func configuration(
        _ change: (inout ValkeyConfiguration) -> Void = { _ in }
    ) throws -> ValkeyConfiguration {
        var configuration = try ValkeyConfiguration(host: "127.0.0.1", port: port, security: .none)
        change(&configuration)
        return configuration
    }

    /// The member of the service's configuration, with further members.
    func setting(_ more: String = "") -> String {
        """
        "replays_and_limits": {"type": "valkey", "host": "127.0.0.1", "port": \(port), "security": "none"\(more)},
        """
    }

    /// The server's life: started, crashed, frozen and started again by commands, and ended with their sender.
    ///
    /// The settings `appendonly` and `appendfsync` let it keep everything that it confirmed.
    private static let life = """
        set -eu
        folder=$1 port=$2
        cd "$folder"
        program=$(command -v valkey-server || command -v redis-server)
        cli=$(command -v valkey-cli || command -v redis-cli)
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem 2>/dev/null
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=other \
            -keyout /dev/null -out other.pem 2>/dev/null
        printf '%s\\n' "dir $folder" "bind 127.0.0.1" "port $port" "unixsocket $folder/socket" 'save ""' \
            "appendonly yes" "appendfsync always" >server.conf
        cat more.conf >>server.conf
        pid=
        start() {
            "$program" server.conf >>log 2>&1 </dev/null &
            pid=$!
            until "$cli" -s socket ping 2>/dev/null | grep -qE 'PONG|NOAUTH'; do kill -0 "$pid"; done
        }
        trap 'kill -CONT "$pid" 2>/dev/null; kill -9 "$pid" 2>/dev/null; rm -rf "$folder"' EXIT
        start
        echo ready
        while read -r word; do
            case "$word" in
            crash) kill -9 "$pid"; wait "$pid" 2>/dev/null || true ;;
            start) start ;;
            freeze) kill -STOP "$pid" ;;
            thaw) kill -CONT "$pid" ;;
            *) "$cli" -s socket $word >/dev/null ;;
            esac
            echo ready
        done
        """
}
