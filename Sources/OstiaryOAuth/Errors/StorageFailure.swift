/// Why a session could not be kept or read.
public enum StorageFailure: String, Error, Sendable, Hashable {
    /// The store is locked for now, for example by a locked device; what is in it is safe.
    case locked
    /// The store cannot be used: a missing folder, no permission, a full disk.
    case unavailable
    /// What is stored cannot be read or was changed by somebody else; it is left as it is.
    case corrupted
    /// The app's signature does not allow this store: an entitlement is missing; what is in it is safe.
    case notEntitled
    /// The person who guards the value said no; it is safe.
    case cancelled
    /// The person who guards the value was not recognized, or too often not; it is safe.
    case notRecognized
    /// The value can never be read again, since the faces or fingers that guarded it are others now.
    case invalidated
}
