public import Ostiary

/// Whether a new client is registered when the server does not know this installation's client any more.
///
/// It has been deleted, the database was reset, or a rotated secret was lost. The person has to sign in again then.
public struct CurityReplacement: Sendable {
    private let decision: @Sendable (ClientRegistration) async -> Decision

    /// What is done about a client that is gone.
    public enum Decision: Sendable, Hashable {
        /// One new client is registered.
        case register
        /// Nothing; the error is thrown, and everything stays stored.
        case fail
    }

    /// Asks each time.
    ///
    /// - Parameter decide: Given the registration that is gone.
    public init(_ decide: @escaping @Sendable (ClientRegistration) async -> Decision) { decision = decide }

    /// One new client is registered.
    public static let automatic = CurityReplacement { _ in .register }
    /// Nothing is done.
    public static let never = CurityReplacement { _ in .fail }

    func decide(_ registration: ClientRegistration) async -> Decision { await decision(registration) }
}
