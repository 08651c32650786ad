import Synchronization

/// The session of one client that is alive in this process: one for each stored session, however often it is restored.
///
/// A new sign-in ends the one before: its refresh token is somebody else's by then, and so would be what it stores.
final class LiveSessions: Sendable {
    private struct Reference {
        weak var coordinator: RefreshCoordinator?
    }

    private let references = Mutex<[Reference]>([])

    /// The live session of a stored value, which then knows that value.
    func coordinator(of record: StoredSession, for client: SignInClient) -> RefreshCoordinator {
        let (coordinator, isKnown) = references.withLock { references -> (RefreshCoordinator, Bool) in
            references.removeAll { $0.coordinator == nil }
            let known = references.lazy.compactMap(\.coordinator).first { $0.id == record.id && $0.end == nil }
            if let known { return (known, true) }
            let new = RefreshCoordinator(record, of: client)
            references.append(Reference(coordinator: new))
            return (new, false)
        }
        if isKnown { coordinator.handle(.noticed(record)) }
        return coordinator
    }

    /// Ends every session but a new one, which is remembered.
    func replace(by coordinator: RefreshCoordinator) {
        let others = references.withLock { references in
            let others = references.compactMap(\.coordinator).filter { $0 !== coordinator && $0.end == nil }
            references = [Reference(coordinator: coordinator)]
            return others
        }
        for other in others { other.handle(.left(.replaced)) }
    }
}
