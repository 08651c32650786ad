import Synchronization

/// The sessions that one client has given out and that somebody still holds.
///
/// A new sign-in ends them: their refresh tokens are somebody else's by then, and so would be what they store.
final class LiveSessions: Sendable {
    private struct Reference {
        weak var session: Session?
    }

    private let references = Mutex<[Reference]>([])

    /// Remembers a session.
    func add(_ session: Session) {
        references.withLock { references in
            references.removeAll { $0.session == nil }
            references.append(Reference(session: session))
        }
    }

    /// Ends every session but a new one, which is remembered.
    ///
    /// - Returns: Whether there was one to end.
    func replace(by session: Session) -> Bool {
        let others = references.withLock { references in
            let others = references.compactMap(\.session).filter { $0 !== session && $0.end == nil }
            references = [Reference(session: session)]
            return others
        }
        for other in others { other.finish(.replaced) }
        return !others.isEmpty
    }

    /// Ends every session: the stored one, which they all are, was removed.
    func signOut() {
        for session in references.withLock({ $0.compactMap(\.session) }) { session.finish(.signedOut) }
    }

    /// The session that replaced the others; `nil` when nobody holds it any more.
    var newest: Session? { references.withLock { $0.compactMap(\.session).last { $0.end == nil } } }
}
