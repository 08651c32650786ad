import Foundation
import Ostiary
import Testing

/// A folder for one test.
struct Folder: Sendable {
    private let root: String

    static func use(_ body: (Folder) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-\(UUID().uuidString)").path
        #expect(mkdir(root, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await body(Folder(root: root))
    }

    /// With a store in `s` that holds `[1]`, and the path of its file.
    static func withValue(_ body: (Folder, FileStore, String) async throws -> Void) async throws {
        try await use { folder in
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32)))
            try await store.write([1], for: StoreKey("session/a"))
            try await body(folder, store, "s/" + (try #require(folder.values("s").first)))
        }
    }

    /// With a store in `s` that holds `[1]` under the key in the file `key`.
    static func withKeyFile(_ body: (Folder, FileStore) async throws -> Void) async throws {
        try await use { folder in
            let store = FileStore(directory: folder.path("s"), key: .file(at: folder.path("key")))
            try await store.write([1], for: StoreKey("session/a"))
            try await body(folder, store)
        }
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func names(_ name: String = "") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
    }

    func values(_ name: String) -> [String] { names(name).filter { $0.hasSuffix(".sealed") } }

    func bytes(_ name: String) -> Data { FileManager.default.contents(atPath: path(name)) ?? Data() }

    func write(_ bytes: Data, to name: String) {
        #expect(FileManager.default.createFile(atPath: path(name), contents: bytes))
    }

    func mode(_ name: String) -> mode_t {
        var information = stat()
        #expect(lstat(path(name), &information) == 0)
        return information.st_mode & 0o777
    }
}

/// A disk that is full after 64 KiB; only root on Linux can have one.
enum FullDisk {
    static var canBeHad: Bool {
        #if os(Linux)
            guard geteuid() == 0 else { return false }
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-\(UUID().uuidString)")
                .path
            guard mkdir(path, 0o700) == 0 else { return false }
            defer { rmdir(path) }
            guard (try? mount(at: path)) != nil else { return false }
            unmount(path)
            return true
        #else
            return false
        #endif
    }

    struct Refused: Error {}

    static func mount(at path: String) throws {
        #if os(Linux)
            guard Foundation.mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=700") == 0 else { throw Refused() }
        #endif
    }

    static func unmount(_ path: String) {
        #if os(Linux)
            _ = umount(path)
        #endif
    }
}
