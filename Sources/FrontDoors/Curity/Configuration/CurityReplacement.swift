public import Ostiary

/// The policy for registering a new client when the server no longer knows this installation's client.
///
/// The client was deleted, the database was reset, or a rotated secret was lost. The user must then sign in again.
public struct CurityReplacement: Sendable {
    private let decision: @Sendable (ClientRegistration) async -> Decision

    /// The decision about a lost client.
    public enum Decision: Sendable, Hashable {
        /// One new client is registered.
        case register
        /// Nothing; the error is thrown, and everything stays stored.
        case fail
    }

    /// Decides each time.
    ///
    /// - Parameter decide: Receives the lost registration.
    public init(_ decide: @escaping @Sendable (ClientRegistration) async -> Decision) { decision = decide }

    /// One new client is registered.
    public static let automatic = CurityReplacement { _ in .register }
    /// No client is registered.
    public static let never = CurityReplacement { _ in .fail }

    func decide(_ registration: ClientRegistration) async -> Decision { await decision(registration) }
}
