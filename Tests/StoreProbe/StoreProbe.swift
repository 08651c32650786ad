import Foundation
import Ostiary
import OstiaryTesting
import Synchronization

/// What a test lets a process of its own do with a store: to be killed in the middle of it, or on a bus of its own.
///
/// It prints one line, and ends with status 0 when what it was told to do was done.
@main
struct StoreProbe {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            print(try await run(arguments))
            exit(0)
        } catch {
            print(error)
            exit(1)
        }
    }

    struct Misused: Error {}

    private static func run(_ arguments: [String]) async throws -> String {
        switch (arguments.first, Array(arguments.dropFirst())) {
        case ("write-and-die", let rest) where rest.count == 3:
            try await writeAndDie(in: rest[0], at: Int(rest[1]) ?? 0, value: rest[2])
            return "lived"
        #if os(Linux)
            case ("keyring", let rest) where !rest.isEmpty: return try await keyring(rest)
        #endif
        default: throw Misused()
        }
    }

    /// Writes a value, and is killed before a step of it, as by `kill -9`.
    private static func writeAndDie(in folder: String, at number: Int, value: String) async throws {
        let steps = Atomic<Int>(0)
        let store = FileStore(
            directory: folder,
            key: .bytes(Array(0..<32)),
            fault: { (_) throws(StorageFailure) in
                guard steps.add(1, ordering: .relaxed).newValue == number else { return }
                kill(getpid(), SIGKILL)
                while true { pause() }
            }
        )
        try await store.write(Array(value.utf8), for: StoreKey("session/a"))
    }

    #if os(Linux)
        private static func keyring(_ arguments: [String]) async throws -> String {
            let mayAsk = !arguments.contains("--never-ask")
            let deadline = arguments.contains("--soon") ? 1.5 : 20
            func store() -> SecretServiceStore {
                SecretServiceStore(
                    application: "com.example.probe",
                    unlocking: mayAsk ? .byAsking : .never,
                    deadline: deadline
                )
            }
            let store = store()
            let key = StoreKey("session/a")
            switch arguments[0] {
            case "contract":
                try await SecretStoreCheck(store, reopen: { SecretServiceStore(application: "com.example.probe") })
                    .run()
                return "kept"
            case "check":
                try await store.check()
                return "usable"
            case "write":
                try await store.write(Array(arguments[1].utf8), for: key)
                return "written"
            case "read":
                return try await store.read(key).map { String(decoding: $0, as: UTF8.self) } ?? "absent"
            case "remove":
                try await store.remove(key)
                return "removed"
            case "keys": return try await store.keys().map(\.description).joined(separator: " ")
            case "sealed-files":
                let files = FileStore(directory: arguments[1], key: .kept(in: store))
                try await SecretStoreCheck(
                    files,
                    reopen: { FileStore(directory: arguments[1], key: .kept(in: store)) }
                ).run()
                return "kept"
            default: throw Misused()
            }
        }
    #endif
}
