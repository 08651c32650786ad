import Foundation
import OstiaryJOSE
import OstiaryTesting

/// The recordings of this folder, by name: `keycloak/native-client`.
enum Recordings {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Recordings")

    /// The servers that were recorded, and how many scenarios of each.
    static let servers = [
        "atproto": 3, "hydra": 16, "keycloak": 29, "logto": 15, "oidc-provider": 24, "solid": 3, "spring": 12,
    ]

    /// The names of one server's recordings; for the suite's, the name of the plan stands in between.
    static func names(of server: String) -> [String] {
        let root = folder.appending(path: server).path
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.map { "\(server)/" + $0.dropLast(6) }.sorted()
    }

    static func named(_ name: String) throws -> Recording {
        let server = String(name.prefix { $0 != "/" })
        return try Recording(
            contentsOf: folder.appending(path: name + ".jsonl"),
            bodiesIn: folder.appending(path: server)
        )
    }
}
