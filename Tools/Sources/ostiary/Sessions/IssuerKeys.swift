import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The keys that an issuer publishes.
struct IssuerKeys: Sendable {
    let server: AuthorizationServer
    let keys: JSONWebKeySet

    /// Reads the metadata, and the keys that it names.
    ///
    /// - Throws: The error of reading the metadata or the keys.
    init(of issuer: Issuer, in context: ExchangeContext) async throws(SignInError) {
        let found = try DiscoveredIssuer(
            issuer,
            [
                await MetadataDocument(of: issuer, form: .openIDConnect, in: context),
                await MetadataDocument(of: issuer, form: .oauth, in: context),
            ]
        )
        server = found.serverWithKeys
        guard case .keys(let keys) = try await commandTransport.perform(KeySetRequest(server), in: context).content
        else {
            // The request named no version that could be unchanged.
            throw SignInError(.keys, .malformed("the key set"))
        }
        self.keys = keys
    }
}
