import ArgumentParser
import Foundation
import Ostiary
import OstiaryOAuth

/// Where sessions are kept.
enum StoreLocation: Hashable, Sendable {
    /// Nowhere: the session ends with the command.
    case memory
    /// A folder, with the sealing key inside.
    case folder(String)
    /// The person's own folder for application state, with the sealing key among their configuration.
    case standard

    /// The folder and the key's file; `nil` for memory.
    ///
    /// The XDG Base Directory Specification asks to ignore relative paths in its variables.
    var files: (folder: URL, key: URL)? {
        func base(_ variable: String, _ fallback: String) -> URL {
            if let path = Environment.value(variable), path.hasPrefix("/") { return URL(filePath: path) }
            return FileManager.default.homeDirectoryForCurrentUser.appending(path: fallback)
        }
        switch self {
        case .memory: return nil
        case .folder(let path):
            let folder = URL(filePath: path)
            return (folder, folder.appending(path: "store.key"))
        case .standard:
            return (
                base("XDG_STATE_HOME", ".local/state").appending(path: "ostiary"),
                base("XDG_CONFIG_HOME", ".config").appending(path: "ostiary/store.key")
            )
        }
    }
}

extension StoreLocation: ExpressibleByArgument {
    init?(argument: String) {
        if argument == "memory" {
            self = .memory
        } else if argument.hasPrefix("file:"), argument.count > 5 {
            self = .folder(String(argument.dropFirst(5)))
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "the person's own state folder" }
}

extension StoreLocation {
    /// The store; nothing is read or written yet.
    func open() -> any SecretStore {
        guard let files else { return MemoryStore() }
        return FileStore(directory: files.folder, key: .file(at: files.key))
    }
}
