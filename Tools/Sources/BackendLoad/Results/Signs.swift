import Foundation
import Synchronization

/// An order that no other process carried out.
struct SignsError: Error, CustomStringConvertible {
    let name: String
    var description: String {
        "No process carried out \"\(name)\": the folder of --signs is missing, or nothing watches it."
    }
}

/// The communication between a load and the process that kills instances meanwhile: files in a folder.
///
/// The load creates `begun`. The other process creates `may-end`, before which the load does not end. The load creates
/// `over`, and the other process removes it when all instances run again. Orders are files that the other process
/// removes likewise.
final class Signs: Sendable {
    private let folder: URL?
    private let mayEndIsSeen = Atomic<Bool>(false)
    private let looked = Atomic<Int>(0)

    init(_ folder: String?) { self.folder = folder.map { URL(filePath: $0) } }

    /// Reports that the load begins.
    func begin() throws { try make("begun") }

    /// Whether the load may end; looked for once in 64 times.
    var mayEnd: Bool {
        guard let folder, !mayEndIsSeen.load(ordering: .relaxed) else { return true }
        guard looked.add(1, ordering: .relaxed).oldValue % 64 == 0, isThere("may-end", in: folder) else { return false }
        mayEndIsSeen.store(true, ordering: .relaxed)
        return true
    }

    /// Reports that the load is over, and waits until all instances run again: only running ones can report the
    /// outcome.
    func settle() async throws {
        guard let folder else { return }
        try make("over")
        for _ in 0..<600 where isThere("over", in: folder) { try await Task.sleep(for: .milliseconds(100)) }
    }

    /// Orders something of the other process, which removes the file when it is done.
    ///
    /// - Throws: ``SignsError`` when the other process does not do it within ten seconds.
    func order(_ name: String) async throws {
        guard let folder else { throw SignsError(name: name) }
        try make(name)
        for _ in 0..<200 where isThere(name, in: folder) { try await Task.sleep(for: .milliseconds(50)) }
        guard !isThere(name, in: folder) else { throw SignsError(name: name) }
    }

    private func make(_ name: String) throws {
        guard let folder else { return }
        try Data().write(to: folder.appending(path: name))
    }

    private func isThere(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }
}
