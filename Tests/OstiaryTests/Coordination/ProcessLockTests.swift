import Foundation
import Ostiary
import OstiaryOAuth
import Synchronization
import Testing

@Suite("Locks between those who share a session")
struct ProcessLockTests {
    private static let locks: [@Sendable (Folder) -> any ProcessLock] = [
        { _ in InProcessLock() }, { FileLock(directory: URL(filePath: $0.path("locks"))) },
    ]

    @Test("Nobody else gets what somebody holds; the next one gets it when it is released", arguments: locks.indices)
    func exclusion(_ index: Int) async throws {
        try await Folder.use { folder in
            let lock = Self.locks[index](folder)
            let hold = try await lock.take("a", waiting: 0)
            await #expect(throws: StorageFailure.locked) { _ = try await lock.take("a", waiting: 0.05) }
            let other = try await lock.take("b", waiting: 0)
            hold.release()
            hold.release()
            let next = try await lock.take("a", waiting: 5)
            await #expect(throws: StorageFailure.locked) { _ = try await lock.take("a", waiting: 0) }
            next.release()
            other.release()
        }
    }

    @Test("A hold that nobody has any more is given back", arguments: locks.indices)
    func dropped(_ index: Int) async throws {
        try await Folder.use { folder in
            let lock = Self.locks[index](folder)
            do { _ = try await lock.take("a", waiting: 0) }
            try await lock.take("a", waiting: 5).release()
        }
    }

    @Test("Of many who want it at once, one has it at a time", arguments: locks.indices)
    func many(_ index: Int) async throws {
        try await Folder.use { folder in
            let lock = Self.locks[index](folder)
            let inside = Inside()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let hold = try await lock.take("a", waiting: 60)
                        #expect(inside.enter() == 1)
                        await Task.yield()
                        inside.leave()
                        hold.release()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "A process that died blocks nobody, and the owner of a lock can be seen",
        .failure("A process dies with the lock")
    )
    func deadOwner() async throws {
        try await Folder.use { folder in
            let lock = FileLock(directory: URL(filePath: folder.path("locks")))
            try await lock.take("a", waiting: 0).release()
            #expect(try lock.owner(of: "a") == nil)
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path("locks")).first)
            let holder = Process()
            holder.executableURL = URL(filePath: "/usr/bin/env")
            holder.arguments = [
                "python3", "-c",
                "import fcntl,sys,os,time\nf=open(sys.argv[1],'r+')\nfcntl.flock(f,2)\nf.seek(0)\n"
                    + "f.write('%d 1800000000.5 '%os.getpid());f.flush()\nprint('held',flush=True)\ntime.sleep(600)",
                folder.path("locks/\(file)"),
            ]
            let output = Pipe()
            holder.standardOutput = output
            try holder.run()
            #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("held"))
            await #expect(throws: StorageFailure.locked) { _ = try await lock.take("a", waiting: 0.05) }
            let owner = try #require(try lock.owner(of: "a"))
            #expect(owner.processID == holder.processIdentifier)
            #expect(owner.age(at: Date(timeIntervalSince1970: 1_800_000_060.5)) == 60)
            #expect(owner.age(at: Date(timeIntervalSince1970: 1_700_000_000)) == 0)
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
            let hold = try await lock.take("a", waiting: 10)
            #expect(try lock.owner(of: "a")?.processID == getpid())
            hold.release()
            #expect(try lock.owner(of: "a") == nil)
        }
    }

    @Test("A folder that cannot be made is told as that, and a lock file that somebody removed locks nobody out")
    func folders() async throws {
        try await Folder.use { folder in
            try Data().write(to: URL(filePath: folder.path("file")))
            let nowhere = FileLock(directory: URL(filePath: folder.path("file/locks")))
            await #expect(throws: StorageFailure.unavailable) { _ = try await nowhere.take("a", waiting: 0) }
            let lock = FileLock(directory: URL(filePath: folder.path("locks")))
            let hold = try await lock.take("a", waiting: 0)
            try FileManager.default.removeItem(atPath: folder.path("locks"))
            let other = try await lock.take("a", waiting: 1)
            hold.release()
            await #expect(throws: StorageFailure.locked) { _ = try await lock.take("a", waiting: 0) }
            other.release()
        }
    }
}

/// How many are where one may be.
private final class Inside: Sendable {
    private let count = Mutex(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
