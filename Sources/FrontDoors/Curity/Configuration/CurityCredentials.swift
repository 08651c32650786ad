import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The current credentials of this installation, which may change during a session.
///
/// They are stored before they are set here.
final class CurityCredentials: Sendable {
    private let state: Lock<ClientRegistration>

    init(_ registration: ClientRegistration) { state = Lock(registration) }

    var registration: ClientRegistration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns the client, which authenticates with the current credentials and accepts ID tokens as registered.
    func client(redirectURI: RedirectURI) throws(SignInError) -> Client {
        let registration = registration
        var client = try registration.client(redirectURI: redirectURI)
        let registered = client.authentication
        client.authentication = .renewable { [self] in
            (try? self.registration.client(redirectURI: redirectURI))?.authentication ?? registered
        }
        client.validation = Client.ValidationPolicy(
            idTokenAlgorithms: [try registration.idTokenAlgorithm()],
            clockTolerance: .seconds(60)
        )
        return client
    }
}

extension ClientRegistration {
    /// Returns the registered signature algorithm of ID tokens; RS256 when there is none (OpenID Connect Dynamic Client
    /// Registration section 2).
    ///
    /// - Throws: `configuration` at stage `registration` for an ID token that cannot be verified: unsigned, signed with
    ///   the secret, or encrypted.
    func idTokenAlgorithm() throws(SignInError) -> SignatureAlgorithm {
        guard metadata.members["id_token_encrypted_response_alg"].map(\.isNull) ?? true else {
            throw SignInError(.registration, .configuration("The client is registered for encrypted ID tokens."))
        }
        guard let value = metadata.members["id_token_signed_response_alg"], !value.isNull else { return .rs256 }
        guard let algorithm = value.string.flatMap(SignatureAlgorithm.init(rawValue:)) else {
            throw SignInError(
                .registration,
                .configuration("The client is registered for ID tokens that are not signed with a public key.")
            )
        }
        return algorithm
    }

    /// Whether something of it ends soon and is to be renewed now.
    func isRenewalDue(at now: Double) -> Bool {
        guard management != nil else { return false }
        if let end = clientSecretExpiry?.timeIntervalSince1970, end - now < Self.secretMargin { return true }
        guard let end = managementExpiry?.timeIntervalSince1970 else { return false }
        return end - now < Self.managementMargin
    }

    /// A day, in seconds: renewing takes one request, and the server may be away for a while.
    private static let secretMargin: Double = 86_400
    /// Thirty days of the year for which the token is valid.
    private static let managementMargin: Double = 30 * 86_400
}
