import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The public keys of a client, by value or at its `jwks_uri`.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - compact: The token that one of them is to have signed; its header names the key.
    /// - Throws: `invalid_client` when the key set cannot be read.
    func keys(of client: RegisteredClient, for compact: String) async throws -> JSONWebKeySet {
        if case .privateKeyJWT(let keys, _) = client.authenticationMethod, !keys.keys.isEmpty { return keys }
        if let keys = client.keySet { return keys }
        guard let uri = client.keySetURI, rules(for: client).clientReferences == .accepted,
            let transport = configuration.outbound
        else { return JSONWebKeySet([]) }
        do throws(ClientKeySets.Failure) {
            let keyID = (try? UnverifiedJWT(compact))?.header.keyID
            return try await clientKeySets.keys(at: uri, naming: keyID, now: now, by: transport)
        } catch {
            throw Refusal.unknownClient("The client's keys at jwks_uri cannot be read.")
                .since("\(uri.text.logged) cannot be read. \(error)")
                .mended(by: "Check jwks_uri of the client.")
        }
    }
}
