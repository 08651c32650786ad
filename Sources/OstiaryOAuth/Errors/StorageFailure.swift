/// The reason a session could not be stored or read.
public enum StorageFailure: String, Error, Sendable, Hashable {
    /// The store is locked for now, for example by a locked device; its values are safe.
    case locked
    /// The store cannot be used: a missing folder, no permission, a full disk, a device without a passcode.
    case unavailable
    /// The stored value is unreadable or was modified; it has been left in place.
    case corrupted
    /// The app's signature does not allow this store: an entitlement is missing; its values are safe.
    case notEntitled
    /// The user declined to unlock the value, which is unharmed.
    case cancelled
    /// The user was not recognized, or failed too often; the value is unharmed.
    case notRecognized
    /// The value can never be read again, since the faces or fingerprints that guarded it have changed.
    case invalidated
}
