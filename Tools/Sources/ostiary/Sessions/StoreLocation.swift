import ArgumentParser
import Foundation
import Ostiary
import OstiaryOAuth

/// The location of sessions.
enum StoreLocation: Hashable, Sendable {
    /// Nowhere: the session ends with the command.
    case memory
    /// A folder, with the sealing key inside.
    case folder(String)
    /// The desktop's keyring.
    case keyring
    /// The user's own folder for application state, with the sealing key in the configuration folder.
    case standard

    /// The folder and the key's file; `nil` for memory and for the keyring.
    var files: (folder: URL, key: URL)? {
        switch self {
        case .memory, .keyring: return nil
        case .folder(let path):
            let folder = URL(filePath: path)
            return (folder, folder.appending(path: "store.key"))
        case .standard:
            return (
                Environment.folder("XDG_STATE_HOME", ".local/state").appending(path: "ostiary"),
                Environment.folder("XDG_CONFIG_HOME", ".config").appending(path: "ostiary/store.key")
            )
        }
    }
}

extension StoreLocation: ExpressibleByArgument {
    /// The form of a store.
    static let rule = "give keyring, memory, or file: with the path of a folder."

    /// Reads a store.
    @Sendable static func named(_ text: String) throws -> StoreLocation {
        guard let store = StoreLocation(argument: text) else {
            throw ValidationError("There is no such store: \(rule)")
        }
        return store
    }

    init?(argument: String) {
        if argument == "memory" {
            self = .memory
        } else if argument == "keyring" {
            self = .keyring
        } else if argument.hasPrefix("file:"), argument.count > 5 {
            self = .folder(String(argument.dropFirst(5)))
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "your state folder" }
}

extension StoreLocation {
    /// The store; nothing is read or written yet.
    func open() -> any SecretStore {
        if let files { return FileStore(directory: files.folder, key: .file(at: files.key)) }
        if self == .keyring { return Self.keyringStore }
        return MemoryStore()
    }

    /// Returns the problem that makes the store unusable, with its file or folder; `nil` for none.
    func problem(behind error: SignInError) async -> String? {
        if let files = open() as? FileStore { return await problem(behind: error, of: files) }
        #if os(Linux)
            guard self == .keyring, case .storage(let failure) = error.reason else { return nil }
            // A locked one responds to requests; only its values are unavailable.
            if failure == .locked { return SecretServiceStore.Problem.locked.description }
            do throws(SecretServiceStore.Problem) {
                try await SecretServiceStore(application: Self.application, deadline: .seconds(5)).check()
                return "The keyring responds, but did not do this: it may be waiting to be unlocked."
            } catch {
                return error.description
            }
        #else
            return nil
        #endif
    }

    private func problem(behind error: SignInError, of store: FileStore) async -> String? {
        switch error.reason {
        case .storage(.unavailable):
            do throws(FileStore.Problem) {
                try await store.check()
                return nil
            } catch {
                return error.description
            }
        case .storage(.corrupted):
            guard let files = try? await store.contents().unreadable, !files.isEmpty else { return nil }
            let names =
                files.prefix(3).joined(separator: ", ") + (files.count > 3 ? " and \(files.count - 3) more" : "")
            let forgetting = CommandArguments.line(of: ["sessions", "remove"])
            return "The store's key does not open \(names). Forget the profile: \(forgetting)"
        default: return nil
        }
    }

    private static let application = "ostiary"

    private static var keyringStore: any SecretStore {
        #if os(Linux)
            SecretServiceStore(application: application)
        #else
            KeychainStore()
        #endif
    }
}
