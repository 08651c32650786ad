import OstiaryCompatibility

/// The users who can sign in: those of the configuration, until the administration changes them.
final class UserDirectory: Sendable {
    /// The result of keeping a user.
    enum Change: Sendable {
        case added, replaced
        /// There are as many users as there may be.
        case full
        /// Another user has the subject.
        case subjectTaken
    }

    private static let maximumUsers = 1000

    private let users: Lock<[ProviderUser]>

    init(_ users: [ProviderUser]) { self.users = Lock(users) }

    var all: [ProviderUser] { users.withLock { $0 } }

    func user(named name: String) -> ProviderUser? {
        users.withLock { $0.first { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    func user(subject: String) -> ProviderUser? {
        users.withLock { $0.first { $0.subject.utf8.elementsEqual(subject.utf8) } }
    }

    /// Keeps a user, in place of the one with the name.
    func put(_ user: ProviderUser) -> Change {
        users.withLock { users in
            let place = users.firstIndex { $0.name.utf8.elementsEqual(user.name.utf8) }
            let isTaken = users.indices.contains {
                $0 != place && users[$0].subject.utf8.elementsEqual(user.subject.utf8)
            }
            guard !isTaken else { return .subjectTaken }
            if let place {
                users[place] = user
                return .replaced
            }
            guard users.count < Self.maximumUsers else { return .full }
            users.append(user)
            return .added
        }
    }

    /// Removes the user with a name, and returns that user; `nil` for none.
    func remove(named name: String) -> ProviderUser? {
        users.withLock { users in
            users.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map { users.remove(at: $0) }
        }
    }
}

extension Provider {
    /// The users who can sign in.
    var users: [ProviderUser] { directory.all }
    func user(named name: String) -> ProviderUser? { directory.user(named: name) }
    func user(subject: String) -> ProviderUser? { directory.user(subject: subject) }
}
