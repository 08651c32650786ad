import Foundation

/// Debian's nginx with a configuration of this repository, on a port of this machine.
final class NginxServer: Sendable {
    static let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"].first
    {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder: TemporaryFile
    private let pidFile: String

    /// Starts it; it listens then.
    ///
    /// - Parameters:
    ///   - name: The file in `Examples/Backend/deploy`.
    ///   - port: The port in the place of 443, without TLS.
    ///   - changes: Addresses of the file, and what stands in their place.
    /// - Throws: `NoNginx` where it is not installed or the file lacks an address, and the error of a file or of the
    ///   process.
    init(_ name: String, port: Int, changes: [String: String]) async throws {
        guard let program = Self.program else { throw NoNginx() }
        folder = try TemporaryFile("nginx.conf")
        var text = try String(contentsOf: Self.deployment.appending(path: name), encoding: .utf8)
        text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains("ssl_certificate") }.joined(separator: "\n")
        for (from, to) in changes.merging(["listen 443 ssl;": "listen 127.0.0.1:\(port);"], uniquingKeysWith: { $1 }) {
            guard text.contains(from) else { throw NoNginx() }
            text = text.replacing(from, with: to)
        }
        let directory = URL(filePath: folder.path).deletingLastPathComponent().path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(directory)/\($0);"
        }
        text = text.replacing("http {", with: "http {\naccess_log off;\n" + temporary.joined(separator: "\n"))
        pidFile = directory + "/pid"
        text = "daemon on; pid \(pidFile); error_log stderr;\n" + text
        try text.write(toFile: folder.path, atomically: true, encoding: .utf8)
        // It has bound its port when the command ends. What goes on in the background keeps none of this process's files, since
        // others wait for their end.
        let script = """
            for file in /proc/self/fd/*; do
                number="${file##*/}"
                [ "$number" -lt 3 ] || eval "exec $number>&-"
            done
            exec "$1" -c "$2" -e stderr -p "$3" > /dev/null
            """
        _ = try await Conversation("/bin/bash", ["-c", script, "run", program, folder.path, directory]).finish()
    }

    /// Ends it at once.
    func stop() {
        guard let text = try? String(contentsOfFile: pidFile, encoding: .utf8),
            let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return }
        kill(pid, SIGTERM)
    }

    struct NoNginx: Error {}

    private static let deployment = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Examples/Backend/deploy")
}
