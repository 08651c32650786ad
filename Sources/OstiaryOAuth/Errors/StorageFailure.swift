/// Why a session could not be kept or read.
public enum StorageFailure: String, Error, Sendable, Hashable {
    /// The store is locked for now, for example by a locked device; what is in it is safe.
    case locked
    /// The store cannot be used: a missing folder, no permission, a full disk.
    case unavailable
    /// What is stored cannot be read or was changed by somebody else; it is left as it is.
    case corrupted
}
