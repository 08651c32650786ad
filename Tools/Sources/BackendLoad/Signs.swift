import Foundation
import Synchronization

/// What a load and whoever kills instances meanwhile tell each other: files in a folder.
///
/// The load makes `begun`; the other one makes `may-end`, before which the load does not end; the load makes `over`, and the
/// other one removes it when everything runs again.
final class Signs: Sendable {
    private let folder: URL?
    private let mayEndIsSeen = Atomic<Bool>(false)
    private let looked = Atomic<Int>(0)

    init(_ folder: String?) { self.folder = folder.map { URL(filePath: $0) } }

    /// Says that the load begins.
    func begin() throws { try make("begun") }

    /// Whether the load may end; looked for once in 64 times.
    var mayEnd: Bool {
        guard let folder, !mayEndIsSeen.load(ordering: .relaxed) else { return true }
        guard looked.add(1, ordering: .relaxed).oldValue % 64 == 0, isThere("may-end", in: folder) else { return false }
        mayEndIsSeen.store(true, ordering: .relaxed)
        return true
    }

    /// Says that the load is over, and waits until everything runs again: what came of it is asked of instances that live.
    func settle() async throws {
        guard let folder else { return }
        try make("over")
        for _ in 0..<600 where isThere("over", in: folder) { try await Task.sleep(for: .milliseconds(100)) }
    }

    private func make(_ name: String) throws {
        guard let folder else { return }
        try Data().write(to: folder.appending(path: name))
    }

    private func isThere(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }
}
