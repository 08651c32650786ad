#if canImport(SwiftUI)
    public import Foundation

    /// What a ``SignInModel`` signs in with: a client, a front door, or a script.
    ///
    /// Every closure may be called from any thread and does not run on the main actor.
    public struct SignInSource<Account: Sendable>: Sendable {
        /// What becomes of a session that somebody has.
        public enum Change: Sendable, Hashable {
            /// It was renewed, or need not be.
            case current
            /// It could not be renewed for now; nothing is lost.
            case stale
            /// The provider has ended it.
            case ended
            /// It is over for a reason that the person knows: they signed out, or in again.
            case closed
        }

        let restore: @concurrent @Sendable () async throws -> Account?
        let signIn: @concurrent @Sendable () async throws -> Account
        let signOut: @concurrent @Sendable (Account) async throws -> Void
        let changes: @Sendable (Account) -> AsyncStream<Change>
        let open: @Sendable (URL) -> Bool

        /// Makes a source of closures.
        ///
        /// - Parameters:
        ///   - restore: Who was signed in when the app ended; `nil` for nobody.
        ///   - signIn: Shows the sign-in page, and returns who signed in.
        ///   - signOut: Ends the session.
        ///   - changes: What becomes of a session. Default: nothing.
        ///   - open: Takes a URL that the app was opened with; `false` when it is none of a sign-in's.
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
