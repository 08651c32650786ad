import OstiaryOAuth
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Room for the next value of a key: a file of enough blocks, open here, and the descriptors that storing needs.
///
/// A refresh takes it before its refresh token leaves, so that neither a disk that fills up nor a process that runs out of
/// descriptors keeps the new tokens from being stored. It is given back when nothing refers to it any more.
package final class ReservedFile: Sendable {
    private struct State {
        var descriptor: Int32?
        var spares: [Int32] = []
    }

    let path: String
    private let state: Mutex<State>

    /// Makes the file, in place of one that a dead process left behind.
    init(_ path: String, bytes count: Int) throws(StorageFailure) {
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable }
        self.path = path
        state = Mutex(State(descriptor: descriptor))
        // From here on deinit gives back what there is.
        guard Self.allocate(count, descriptor), takeDescriptors() else { throw .unavailable }
    }

    deinit { release() }

    /// Closes the spare descriptors, so that what is opened next to store the value finds them free.
    package func freeDescriptors() {
        state.withLock { state in
            for spare in state.spares { close(spare) }
            state.spares = []
        }
    }

    /// Takes spare descriptors again, after an attempt to store that failed.
    ///
    /// A lock, the turn to write, and the folder are open at once.
    @discardableResult
    func takeDescriptors() -> Bool {
        state.withLock { state in
            while state.spares.count < 3 {
                let spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard spare >= 0 else { return false }
                state.spares.append(spare)
            }
            return true
        }
    }

    /// The open file; `nil` when its name is another file's by now, or no file's.
    var descriptor: Int32? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            var (opened, named) = (stat(), stat())
            guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            else { return nil }
            return descriptor
        }
    }

    /// Gives back what was taken; the file is kept when it has got another name.
    func release() {
        if descriptor != nil { unlink(path) }
        freeDescriptors()
        state.withLock { state in
            if let descriptor = state.descriptor { close(descriptor) }
            state.descriptor = nil
        }
    }

    private static func allocate(_ count: Int, _ descriptor: Int32) -> Bool {
        #if !canImport(Darwin)
            var reason = EINTR
            while reason == EINTR { reason = posix_fallocate(descriptor, 0, off_t(count)) }
            // Not every file system can, and not every C library writes zeros then.
            guard [EOPNOTSUPP, ENOSYS, EINVAL].contains(reason) else { return reason == 0 }
        #endif
        let zeros = [UInt8](repeating: 0, count: count)
        return pwrite(descriptor, zeros, count, 0) == count
    }
}

/// A store that can take room for a value before the value is known.
package protocol ReservingSecretStore: SecretStore {
    /// Takes room for the next value of a key.
    ///
    /// - Parameter count: Bytes.
    /// - Throws: `unavailable` when there is no room; nothing was changed.
    func reserve(_ count: Int, for key: StoreKey) async throws(StorageFailure) -> ReservedFile
    /// Sets the value of a key, in the room that was taken for it.
    ///
    /// - Throws: As a write; the room is still there then.
    func write(_ value: [UInt8], for key: StoreKey, in room: ReservedFile) async throws(StorageFailure)
}

/// The room that the refresh under way has taken, if it has any.
final class ReservedRoom: Sendable {
    private let file = Mutex<ReservedFile?>(nil)

    /// The room there is.
    var reserved: ReservedFile? { file.withLock { $0 } }
    /// Puts room in place of what there was; `nil` gives it back.
    func set(_ new: ReservedFile?) {
        // The room that was reserved is released when the lock is no longer held.
        let former = file.withLock { file in
            defer { file = new }
            return file
        }
        if former !== new { former?.release() }
    }
}
