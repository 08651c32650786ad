import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting

/// The operations on a store that a test runs in a process of its own: to kill it in the middle, or on its own bus.
///
/// It prints one line, and ends with status 0 when the operation has succeeded.
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
        case ("write-without-descriptors", let rest) where rest.count == 1:
            return try await writeWithoutDescriptors(in: rest[0])
        #if os(Linux)
            case ("write-and-tell", let rest) where rest.count == 1:
                let store = FileStore(directory: rest[0], key: .bytes(Array(0..<32)))
                try await store.write([UInt8](repeating: 1, count: 1_000), for: StoreKey("session/a"))
                return SystemCalls.list.joined(separator: ", ")
            case ("lock-folder", _):
                let lock = SecretServiceStore(application: "com.example.probe").processLock as? FileLock
                return lock?.folder ?? "none"
            case ("keyring", let rest) where !rest.isEmpty: return try await keyring(rest)
        #endif
        default: throw Misused()
        }
    }

    /// Writes a value, and is killed before a step of it, as by `kill -9`.
    private static func writeAndDie(in folder: String, at number: Int, value: String) async throws {
        let steps = Lock(0)
        let store = FileStore(
            directory: folder,
            key: .bytes(Array(0..<32)),
            fault: { (_) throws(StorageFailure) in
                let step = steps.withLock { count in
                    count += 1
                    return count
                }
                guard step == number else { return }
                kill(getpid(), SIGKILL)
                while true { pause() }
            }
        )
        try await store.write(Array(value.utf8), for: StoreKey("session/a"))
    }

    /// Takes room, lets nothing else be opened, and writes a value in the room.
    private static func writeWithoutDescriptors(in folder: String) async throws -> String {
        let store = FileStore(directory: folder, key: .file(at: folder + "/key"))
        let key = StoreKey("session/a")
        try await store.write(Array("old".utf8), for: key)
        let room = try await store.reserve(100, for: key)
        var taken: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
        guard (try? await store.write(Array("lost".utf8), for: StoreKey("session/b"))) == nil else { return "not full" }
        room.freeDescriptors()
        let hold = try await FileLock(directory: URL(fileURLWithPath: folder)).acquire("write", waiting: .seconds(1))
        guard try await store.read(key) == Array("old".utf8) else { return "unreadable" }
        try await store.write(Array("new".utf8), for: key, in: room)
        hold.release()
        for descriptor in taken { close(descriptor) }
        return try await store.read(key).map { String(decoding: $0, as: UTF8.self) } ?? "absent"
    }

    #if os(Linux)
        private static func keyring(_ arguments: [String]) async throws -> String {
            let mayAsk = !arguments.contains("--never-ask")
            let deadline: Duration = arguments.contains("--soon") ? .milliseconds(1500) : .seconds(20)
            // Not the home of the account that runs the tests.
            let locks = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { URL(fileURLWithPath: $0) }
            func store() -> SecretServiceStore {
                SecretServiceStore(
                    application: "com.example.probe",
                    unlocking: mayAsk ? .byAsking : .never,
                    deadline: deadline,
                    lockFolder: locks
                )
            }
            let store = store()
            let key = StoreKey("session/a")
            switch arguments[0] {
            case "contract":
                try await SecretStoreCheck(
                    store,
                    reopen: { SecretServiceStore(application: "com.example.probe", lockFolder: locks) }
                ).run()
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
            case "restart":
                // The keyring is killed, and started anew by the line of shell, between two writes.
                try await store.write(Array("before".utf8), for: key)
                // Not Foundation's Process, which waits for the daemon that the shell leaves behind, too.
                guard system(arguments[1]) == 0 else { throw Misused() }
                try await store.write(Array("after".utf8), for: key)
                return try await store.read(key).map { String(decoding: $0, as: UTF8.self) } ?? "absent"
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
