import OstiaryOAuth
import Synchronization

/// The one owner in this process of everything about one stored session: its lock, the live session, the sign-in under way,
/// and the postponed revocations.
///
/// An app may make several clients of one issuer, client and account over one store, in two views for example. They share
/// this, so that no refresh token is presented twice.
final class StoredSessionOwner: Sendable {
    /// The lock for stores that have none of their own.
    let lock: any ProcessLock
    let sessions = LiveSessions()
    let turns = SignInTurns()
    let revocations = RevocationRuns()
    /// The requests that have left and whose tokens are not stored yet.
    let work = UnsettledWork()

    /// Kept as long as this: the address of an object that is gone may be the next one's.
    private let store: any SecretStore

    private init(_ lock: any ProcessLock, _ store: any SecretStore) {
        self.lock = lock
        self.store = store
    }

    /// Returns the owner of a session in a store.
    ///
    /// A store that cannot be told from others of its type gets an owner for this client alone; its lock is the same for
    /// every store of that kind in the process, since too much exclusion costs nothing.
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

    private static let owners = Mutex<[Place: Reference]>([:])
    private static let unknownStores = InProcessLock()
}
