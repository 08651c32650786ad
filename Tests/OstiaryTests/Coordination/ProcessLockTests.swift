import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryTesting
import Testing

@Suite("Locks between those who share a session")
struct ProcessLockTests {
    @Test("A lock of one process keeps every promise")
    func inProcess() async throws { try await ProcessLockCheck(InProcessLock()).run() }

    @Test("A file lock keeps every promise, also after its owner was killed")
    func files() async throws {
        try await Folder.use { folder in
            let make: @Sendable () -> any ProcessLock = { FileLock(directory: URL(filePath: folder.path("locks"))) }
            try await ProcessLockCheck(make(), sharing: make) { name in
                try await LockHolder(name, in: folder.path("locks")).kill()
            }.run()
        }
    }

    @Test("A lock in the container of an app group keeps every promise, with the folders of an app and a widget")
    func sharedContainer() async throws {
        try await Folder.use { folder in
            let make: @Sendable () -> any ProcessLock = {
                FileLock(sharedContainer: URL(filePath: folder.path("group")))
            }
            try await ProcessLockCheck(make(), sharing: make) { name in
                try await LockHolder(name, in: folder.path("group/Library/Ostiary")).kill()
            }.run()
            #expect(folder.names("group") == ["Library"] && folder.mode("group/Library/Ostiary") == 0o700)
        }
    }

    @Test(
        "A lock that breaks a promise fails its contract check with the promise's name",
        arguments: FlawedLock.Flaw.allCases
    )
    func flawed(_ flaw: FlawedLock.Flaw) async throws {
        try await Folder.use { folder in
            let lock = FlawedLock(flaw)
            await #expect(throws: BrokenPromise.self) {
                try await ProcessLockCheck(lock, leftBehindBy: { lock.leaveBehind($0) }).run()
            }
        }
    }

    @Test(
        "A dead process releases its lock, and a lock's owner can be read",
        .failure("A process dies while it holds the lock")
    )
    func deadOwner() async throws {
        try await Folder.use { folder in
            let lock = FileLock(directory: URL(filePath: folder.path("locks")))
            let holder = try await LockHolder("a", in: folder.path("locks"))
            await #expect(throws: StorageFailure.locked) { _ = try await lock.acquire("a", waiting: .milliseconds(50)) }
            let owner = try #require(try lock.owner(of: "a"))
            #expect(owner.processID == holder.processID)
            #expect(owner.age(at: Date(timeIntervalSince1970: 1_800_000_060.5)) == .seconds(60))
            #expect(owner.age(at: Date(timeIntervalSince1970: 1_700_000_000)) == .zero)
            holder.kill()
            let hold = try await lock.acquire("a", waiting: .seconds(10))
            #expect(try lock.owner(of: "a")?.processID == getpid())
            hold.release()
            #expect(try lock.owner(of: "a") == nil)
        }
    }

    @Test("A wait for a lock in a cancelled task ends when the lock is free", arguments: [true, false])
    func cancelledWait(isInProcess: Bool) async throws {
        try await Folder.use { folder in
            let lock: any ProcessLock =
                isInProcess ? InProcessLock() : FileLock(directory: URL(filePath: folder.path("locks")))
            let hold = try await lock.acquire("a", waiting: .zero)
            let (waiting, wait) = AsyncStream<Void>.makeStream()
            let second = Task {
                wait.yield()
                return try await lock.acquire("a", waiting: .seconds(60))
            }
            second.cancel()
            for await _ in waiting { break }
            hold.release()
            try await second.value.release()
        }
    }

    @Test(
        "The longest wait for a lock ends with the lock, and a negative one does not wait",
        arguments: [true, false]
    )
    func boundlessWait(isInProcess: Bool) async throws {
        try await Folder.use { folder in
            let lock: any ProcessLock =
                isInProcess ? InProcessLock() : FileLock(directory: URL(filePath: folder.path("locks")))
            let hold = try await lock.acquire("a", waiting: .seconds(Int64.max))
            for patience in [Duration.seconds(-1), .seconds(Int64.min)] {
                await #expect(throws: StorageFailure.locked) { _ = try await lock.acquire("a", waiting: patience) }
            }
            let (waiting, wait) = AsyncStream<Void>.makeStream()
            let second = Task {
                wait.yield()
                return try await lock.acquire("a", waiting: .seconds(Int64.max))
            }
            for await _ in waiting { break }
            hold.release()
            try await second.value.release()
        }
    }

    @Test("An unwritable lock folder fails as unavailable, and a removed lock file does not block the lock")
    func folders() async throws {
        try await Folder.use { folder in
            try Data().write(to: URL(filePath: folder.path("file")))
            let nowhere = FileLock(directory: URL(filePath: folder.path("file/locks")))
            await #expect(throws: StorageFailure.unavailable) { _ = try await nowhere.acquire("a", waiting: .zero) }
            let lock = FileLock(directory: URL(filePath: folder.path("locks")))
            let hold = try await lock.acquire("a", waiting: .zero)
            try FileManager.default.removeItem(atPath: folder.path("locks"))
            let other = try await lock.acquire("a", waiting: .seconds(1))
            hold.release()
            await #expect(throws: StorageFailure.locked) { _ = try await lock.acquire("a", waiting: .zero) }
            other.release()
        }
    }
}

#if os(macOS) || os(Linux)
    /// Another process that has a lock, since a moment that it chose.
    private struct LockHolder {
        private let process = Process()

        var processID: Int32 { process.processIdentifier }

        /// - Parameter name: A lock that no process has taken before.
        init(_ name: String, in folder: String) async throws {
            func files() -> Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []) }
            let before = files()
            try await FileLock(directory: URL(filePath: folder)).acquire(name, waiting: .zero).release()
            let file = try #require(files().subtracting(before).first)
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "import fcntl,sys,os,time\nf=open(sys.argv[1],'r+')\nfcntl.flock(f,2)\nf.seek(0)\n"
                    + "f.write('%d 1800000000.5 '%os.getpid());f.flush()\nprint('held',flush=True)\ntime.sleep(600)",
                "\(folder)/\(file)",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("held"))
        }

        func kill() {
            Foundation.kill(processID, SIGKILL)
            process.waitUntilExit()
        }
    }
#else
    /// No process starts another one here.
    private struct LockHolder {
        var processID: Int32 { 0 }

        init(_: String, in _: String) async throws { throw CocoaError(.featureUnsupported) }

        func kill() {}
    }
#endif

/// A lock with one mistake.
struct FlawedLock: ProcessLock {
    enum Flaw: CaseIterable {
        case everybodyIn, oneForAll, releasesLate, alwaysFails, tellsNobody, tellsAnother, tellsOfTheDead
    }

    private let flaw: Flaw
    private let lock = InProcessLock()
    private let dead = Dead()

    init(_ flaw: Flaw) { self.flaw = flaw }

    func acquire(_ name: String, waiting patience: Duration) async throws(StorageFailure) -> ProcessLockHold {
        switch flaw {
        case .everybodyIn: return ProcessLockHold {}
        case .alwaysFails: throw .unavailable
        default: break
        }
        let hold = try await lock.acquire(flaw == .oneForAll ? "one" : name, waiting: patience)
        guard flaw == .releasesLate else { return hold }
        return ProcessLockHold {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { hold.release() }
        }
    }

    func owner(of name: String) throws(StorageFailure) -> ProcessLockHold.Owner? {
        if flaw == .tellsOfTheDead, dead.names.withLock({ $0.contains(name) }) {
            return ProcessLockHold.Owner(processID: 1, since: .now)
        }
        guard let owner = try lock.owner(of: name), flaw != .tellsNobody else { return nil }
        return flaw == .tellsAnother ? ProcessLockHold.Owner(processID: owner.processID + 1, since: owner.since) : owner
    }

    /// Leaves behind the lock of a process that takes it and dies.
    func leaveBehind(_ name: String) { dead.names.withLock { _ = $0.insert(name) } }

    private final class Dead: Sendable { let names = Lock<Set<String>>([]) }
}
