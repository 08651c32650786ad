import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ClientAuthentication {
    /// The same method, refused once its secret has expired (`client_secret_expires_at`, RFC 7591 section 3.2.1).
    ///
    /// A request after that time throws `configuration` at stage `registration`, and nothing is sent.
    ///
    /// - Parameter end: The expiry, compared with the time by the server's clock; `nil` for never.
    public func expiring(at end: Date?) -> ClientAuthentication {
        guard let end else { return self }
        return ClientAuthentication(method: method, algorithm: algorithm, expiry: { end }) {
            (request, client, server, fresh) throws(SignInError) in
            try Self.requireUnexpired(end, at: fresh.now)
            try apply(&request, client, server, &fresh)
        }
    }

    /// Refuses to begin what needs the secret later, after a user has acted.
    ///
    /// - Throws: `configuration` at stage `registration` when the secret has expired.
    package func requireUnexpired(at now: Date) throws(SignInError) { try Self.requireUnexpired(expiry(), at: now) }

    private static func requireUnexpired(_ end: Date?, at now: Date) throws(SignInError) {
        guard let end else { return }
        guard NamedCheck.holds("registration.secret.expiry", now < end) else {
            throw SignInError(
                .registration,
                .configuration(
                    "The registered client secret has expired: read the registration again, or register anew."
                )
            )
        }
    }
}
