import Ostiary

/// The account that an app's local data belongs to.
public struct LogiAccount: Sendable, Hashable, Codable {
    /// Whether an account is anonymous.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The account has no name: it is this device's.
        case anonymous
        /// The account belongs to a named user.
        case named
    }

    /// The key of local data: the effective subject.
    public let id: String
    /// The `sub` that it came with; `nil` for an identifier from elsewhere.
    public let sub: String?
    /// Whether the account is anonymous.
    public let kind: Kind

    /// Describes the account that local data is kept under.
    public init(id: String, sub: String? = nil, kind: Kind = .named) {
        self.id = id
        self.sub = sub
        self.kind = kind
    }

    /// Takes the account from claims.
    ///
    /// - Parameters:
    ///   - claims: The claims of the user.
    ///   - previous: The earlier account, whose kind is kept when it is the same account and the claims do not say
    ///     whether it is anonymous.
    public init(_ claims: LogiClaims, after previous: LogiAccount? = nil) {
        let kind = claims.anonymous.map { $0 ? Kind.anonymous : .named }
        let known = previous.flatMap { $0.id.isSame(as: claims.effectiveSub) ? $0.kind : nil }
        self.init(id: claims.effectiveSub, sub: claims.sub, kind: kind ?? known ?? .named)
    }
}

/// The changes to local data after a sign-in or a refresh, in this order: migrate, reassign, promote.
///
/// Store ``account`` when they are done: the next transition starts from there.
public struct AccountTransition: Sendable, Hashable {
    /// Local data goes from one account to another.
    public struct Migration: Sendable, Hashable {
        /// The evidence that both accounts belong to one user.
        public enum Evidence: String, Sendable, Hashable {
            /// The `sub` is the same, and its account was merged into another.
            case sameSubject
            /// The server lists the account before among those that were merged.
            case merged
            /// The earlier account was anonymous, and the server says that this one was as well.
            case promotion
            /// No evidence: another user may have signed in on this device.
            ///
            /// The vendor's document migrates in this case as well; ask the user first.
            case none
        }

        /// The account before.
        public let from: String
        /// The account now.
        public let to: String
        /// The evidence that both accounts belong to one user.
        public let evidence: Evidence
    }

    /// Data of an absorbed account goes to the one that absorbed it.
    public struct Reassignment: Sendable, Hashable {
        /// The absorbed account.
        public let from: String
        /// The account that survives.
        public let to: String
    }

    /// The account to keep local data under from now on.
    public let account: LogiAccount
    /// The migration of local data; `nil` when the data stays, and when there was none.
    public let migration: Migration?
    /// The accounts whose data belongs to this account from now on; empty unless this account is the one that survives.
    public let reassignments: [Reassignment]
    /// Whether an anonymous account has just become a named one: local data may then be uploaded, once.
    ///
    /// `false` where nothing shows that both accounts belong to one user (``Migration/Evidence/none``): ask the user
    /// first.
    public let isPromoted: Bool

    /// Determines the changes.
    ///
    /// - Parameters:
    ///   - previous: The account that local data belongs to; `nil` for none.
    ///   - claims: The claims of the newest ID token.
    public init(from previous: LogiAccount?, to claims: LogiClaims) {
        account = LogiAccount(claims, after: previous)
        let effective = claims.effectiveSub
        migration = previous.flatMap { previous in
            guard !previous.id.isSame(as: effective) else { return nil }
            return Migration(from: previous.id, to: effective, evidence: Self.evidence(previous, claims))
        }
        let isSurvivor = claims.isCanonical == true
        reassignments = claims.linkedAccounts.filter { isSurvivor && !$0.sub.isSame(as: claims.sub) }.map {
            Reassignment(from: $0.sub, to: claims.sub)
        }
        let isOneUser = migration.map { $0.evidence != .none } ?? true
        isPromoted = previous?.kind == .anonymous && claims.anonymous == false && isOneUser
    }

    private static func evidence(_ previous: LogiAccount, _ claims: LogiClaims) -> Migration.Evidence {
        let before = [previous.id, previous.sub].compactMap { $0 }
        if before.contains(where: { $0.isSame(as: claims.sub) }) { return .sameSubject }
        let isLinked = claims.linkedAccounts.contains { account in before.contains { $0.isSame(as: account.sub) } }
        if isLinked { return .merged }
        return previous.kind == .anonymous && claims.previouslyAnonymous == true ? .promotion : .none
    }
}

extension String {
    /// Byte by byte: Unicode's equivalence does not make two accounts one.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
