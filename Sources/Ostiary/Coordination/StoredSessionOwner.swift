import OstiaryCompatibility
import OstiaryOAuth

/// The owner of one stored session in this process: its lock, the live session, the sign-in in progress, and the
/// postponed revocations.
///
/// An app may make several clients of one issuer, client identifier and account over one store, for example in two
/// views. They share this owner, so that no refresh token is presented twice.
final class StoredSessionOwner: Sendable {
    /// The lock for stores that have none of their own.
    let lock: any ProcessLock
    let sessions = LiveSessions()
    let turns = SignInTurns()
    let revocations = RevocationRuns()
    /// The requests that have left, and whose tokens are not stored yet.
    let work = UnsettledWork()

    /// The store, kept alive: the identity of a deallocated object could become that of another store.
    private let store: any SecretStore

    private init(_ lock: any ProcessLock, _ store: any SecretStore) {
        self.lock = lock
        self.store = store
    }

    /// Returns the owner of a session in a store.
    ///
    /// A store without an identity gets an owner for this client alone. All such stores of the process share one lock,
    /// since needless exclusion does no harm.
    static func owner(of key: StoreKey, in store: any SecretStore) -> StoredSessionOwner {
        guard let identity = store.identity else { return StoredSessionOwner(unknownStores, store) }
        let place = Place(key: key, store: identity)
        return owners.withLock { owners in
            if let owner = owners[place]?.owner { return owner }
            owners = owners.filter { $0.value.owner != nil }
            let owner = StoredSessionOwner(InProcessLock(), store)
            owners[place] = Reference(owner: owner)
            return owner
        }
    }

    private struct Reference {
        weak var owner: StoredSessionOwner?
    }

    private struct Place: Hashable {
        let key: StoreKey
        let store: any Hashable & Sendable

        static func == (left: Place, right: Place) -> Bool {
            left.key == right.key && AnyHashable(left.store) == AnyHashable(right.store)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(key)
            store.hash(into: &hasher)
        }
    }

    private static let owners = Lock<[Place: Reference]>([:])
    private static let unknownStores = InProcessLock()
}
