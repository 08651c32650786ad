import OstiaryCompatibility
import OstiaryOAuth

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Space reserved for the next value of a key: an open file of enough blocks, and the file descriptors that storing
/// needs.
///
/// A refresh reserves it before its refresh token leaves. So neither a disk that fills up nor a process that runs out
/// of descriptors prevents the new tokens from being stored. The space is released with the last reference to it.
package final class ReservedFile: Sendable {
    private struct State {
        var descriptor: Int32?
        var spares: [Int32] = []
    }

    let path: String
    private let state: Lock<State>

    /// Creates the file, replacing one that a dead process left behind.
    init(_ path: String, bytes count: Int) throws(StorageFailure) {
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable }
        self.path = path
        state = Lock(State(descriptor: descriptor))
        // From here on deinit releases it.
        guard Self.allocate(count, descriptor), takeDescriptors() else { throw .unavailable }
    }

    deinit { release() }

    /// Closes the spare descriptors, so that storing the value can open its files.
    package func freeDescriptors() {
        state.withLock { state in
            for spare in state.spares { close(spare) }
            state.spares = []
        }
    }

    /// Opens spare descriptors again after a failed attempt to store.
    ///
    /// Storing has three files open at once: the lock, the write lock and the folder.
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

    /// The open file; `nil` when its path now names another file, or none.
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

    /// Releases the descriptors and removes the file, unless the file has been renamed.
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
            // Not every file system can, and not every C library then writes zeros.
            guard [EOPNOTSUPP, ENOSYS, EINVAL].contains(reason) else { return reason == 0 }
        #endif
        let zeros = [UInt8](repeating: 0, count: count)
        return pwrite(descriptor, zeros, count, 0) == count
    }
}

/// A store that can reserve space for a value before the value is known.
package protocol ReservingSecretStore: SecretStore {
    /// Reserves space for the next value of a key.
    ///
    /// `count` is the size of the value in bytes.
    ///
    /// - Throws: `unavailable` when the space or a descriptor is missing; no value was changed.
    func reserve(_ count: Int, for key: StoreKey) async throws(StorageFailure) -> ReservedFile
    /// Sets the value of a key in the space reserved for it.
    ///
    /// - Throws: As ``SecretStore/write(_:for:)``; the space stays reserved.
    func write(_ value: [UInt8], for key: StoreKey, in room: ReservedFile) async throws(StorageFailure)
}

/// The space that the refresh under way has reserved, if any.
final class ReservedRoom: Sendable {
    private let file = Lock<ReservedFile?>(nil)

    /// The reserved space.
    var reserved: ReservedFile? { file.withLock { $0 } }
    /// Replaces the reserved space and releases the former one; `nil` reserves none.
    func set(_ new: ReservedFile?) {
        // The former space is released after the lock.
        let former = file.withLock { file in
            defer { file = new }
            return file
        }
        if former !== new { former?.release() }
    }
}
