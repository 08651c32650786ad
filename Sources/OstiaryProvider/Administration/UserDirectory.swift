import OstiaryCompatibility

/// The users who can sign in: those of the configuration, until the administration changes them.
final class UserDirectory: Sendable {
    /// The result of changing a user.
    enum Change: Sendable {
        /// The user, and the one before; `nil` for a new user.
        case made(ProviderUser, former: ProviderUser?)
        /// There are as many users as there may be.
        case full
        /// Another user has the subject.
        case subjectTaken
    }

    static let maximumUsers = 1000

    private let users: Lock<[ProviderUser]>

    init(_ users: [ProviderUser]) { self.users = Lock(users) }

    var all: [ProviderUser] { users.withLock { $0 } }

    func user(named name: String) -> ProviderUser? {
        users.withLock { $0.first { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    func user(subject: String) -> ProviderUser? {
        users.withLock { $0.first { $0.subject.utf8.elementsEqual(subject.utf8) } }
    }

    /// Changes the user with a name, or adds one; no other change comes between.
    ///
    /// With `isTrial` it returns the result alone, and keeps nothing. `merge` makes the user from the former one.
    ///
    /// - Throws: The refusal of `merge`; nothing has changed then.
    func change(
        _ name: String,
        isTrial: Bool = false,
        _ merge: (ProviderUser?) throws(Refusal) -> ProviderUser
    ) throws(Refusal) -> Change {
        try users.withLock { (users) throws(Refusal) in
            let place = users.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
            let former = place.map { users[$0] }
            let user = try merge(former)
            let isTaken = users.indices.contains {
                $0 != place && users[$0].subject.utf8.elementsEqual(user.subject.utf8)
            }
            guard !isTaken else { return Change.subjectTaken }
            guard place != nil || users.count < Self.maximumUsers else { return .full }
            guard !isTrial else { return .made(user, former: former) }
            if let place { users[place] = user } else { users.append(user) }
            return .made(user, former: former)
        }
    }

    /// Replaces every user.
    func reset(to users: [ProviderUser]) { self.users.withLock { $0 = users } }

    /// Removes the user with a name, and returns that user; `nil` for none.
    func remove(named name: String) -> ProviderUser? {
        users.withLock { users in
            users.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map { users.remove(at: $0) }
        }
    }
}

extension Provider {
    /// The users who can sign in.
    package var users: [ProviderUser] { directory.all }
    func user(named name: String) -> ProviderUser? { directory.user(named: name) }
    package func user(subject: String) -> ProviderUser? { directory.user(subject: subject) }
}
