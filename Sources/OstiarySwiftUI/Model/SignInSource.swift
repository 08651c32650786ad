#if canImport(SwiftUI)
    public import Foundation

    /// The source of a ``SignInModel``'s sign-ins: a client, a front door, or a script.
    ///
    /// The asynchronous closures do not run on the main actor. The model calls `changes` and `open` on the main thread,
    /// so they must not block.
    public struct SignInSource<Account: Sendable>: Sendable {
        /// A change of a session.
        public enum Change: Sendable, Hashable {
            /// The session was refreshed, or need not be.
            case current
            /// The session could not be refreshed for now; nothing is lost.
            case stale
            /// The provider has ended the session.
            case ended
            /// The session is over for a reason that the user knows: a sign-out, or another sign-in.
            case closed
        }

        let restore: @concurrent @Sendable () async throws -> Account?
        let signIn: @concurrent @Sendable () async throws -> Account
        let signOut: @concurrent @Sendable (Account) async throws -> Void
        let changes: @Sendable (Account) -> AsyncStream<Change>
        let open: @Sendable (URL) -> Bool

        /// Makes a source from closures.
        ///
        /// - Parameters:
        ///   - restore: Returns the account that was signed in when the app ended; `nil` without one.
        ///   - signIn: Presents the sign-in page, and returns the account.
        ///   - signOut: Ends the session.
        ///   - changes: Returns the changes of a session. Default: none.
        ///   - open: Takes a URL that the app was opened with; returns `false` when no sign-in awaits it.
        public init(
            restore: @escaping @concurrent @Sendable () async throws -> Account?,
            signIn: @escaping @concurrent @Sendable () async throws -> Account,
            signOut: @escaping @concurrent @Sendable (Account) async throws -> Void,
            changes: @escaping @Sendable (Account) -> AsyncStream<Change> = { _ in AsyncStream { $0.finish() } },
            open: @escaping @Sendable (URL) -> Bool = { _ in false }
        ) {
            self.restore = restore
            self.signIn = signIn
            self.signOut = signOut
            self.changes = changes
            self.open = open
        }
    }
#endif
