import Foundation

/// A path in a folder of its own, which goes with this.
final class TemporaryFile: Sendable {
    private let folder: URL
    let path: String

    init(_ name: String = "store.sqlite") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.appending(path: name).path
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
