import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ClientAuthentication {
    /// The same method with the expiry of its secret (`client_secret_expires_at`, RFC 7591 section 3.2.1).
    ///
    /// After the expiry a request throws `configuration` at stage `registration`, and the client sends nothing.
    ///
    /// - Parameter end: The expiry, compared with the time of the server's clock; `nil` for never.
    /// - Returns: The method with that expiry.
    public func expiring(at end: Date?) -> ClientAuthentication {
        guard let end else { return self }
        return ClientAuthentication(method: method, algorithm: algorithm, expiry: { end }) {
            (request, client, server, fresh) throws(SignInError) in
            try Self.requireUnexpired(end, at: fresh.now)
            try apply(&request, client, server, &fresh)
        }
    }

    /// Checks the secret before a flow in which the user acts before the client needs the secret.
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
