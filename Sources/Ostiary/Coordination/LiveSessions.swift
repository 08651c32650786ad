import OstiaryCompatibility

/// The live session of one stored value: one in this process, however many clients restore it.
///
/// A new sign-in ends the one before, which would otherwise store its tokens over the new ones.
final class LiveSessions: Sendable {
    private struct Reference {
        weak var coordinator: RefreshCoordinator?
    }

    private let references = Lock<[Reference]>([])

    /// The live session of a stored value, which then knows that value and uses that client for its requests.
    func coordinator(of record: StoredSession, for client: SignInClient) -> RefreshCoordinator {
        let (coordinator, isKnown) = references.withLock { references -> (RefreshCoordinator, Bool) in
            references.removeAll { $0.coordinator == nil }
            let known = references.lazy.compactMap(\.coordinator).first { $0.id == record.id && $0.end == nil }
            if let known { return (known, true) }
            let new = RefreshCoordinator(record, of: client)
            references.append(Reference(coordinator: new))
            return (new, false)
        }
        if isKnown {
            coordinator.use(client)
            coordinator.handle(.noticed(record))
        }
        return coordinator
    }

    /// Ends every session but a new one, which is remembered.
    ///
    /// `record` is the stored value of the new session.
    func replace(by coordinator: RefreshCoordinator, _ record: StoredSession) {
        let others = references.withLock { references in
            let others = references.compactMap(\.coordinator).filter { $0 !== coordinator && $0.end == nil }
            references = [Reference(coordinator: coordinator)]
            return others
        }
        for other in others { other.handle(.replaced(record)) }
    }
}
