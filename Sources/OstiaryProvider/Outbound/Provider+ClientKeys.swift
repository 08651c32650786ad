import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The public keys of a client, by value or at its `jwks_uri`.
    ///
    /// One of them is to have signed the token `compact`, whose header names the key.
    ///
    /// - Throws: `invalid_client` when the key set cannot be read.
    func keys(of client: RegisteredClient, for compact: String) async throws -> JSONWebKeySet {
        do throws(ClientKeySets.Failure) {
            return try await readKeys(of: client, for: compact)
        } catch {
            throw Refusal.unknownClient("The client's keys at jwks_uri cannot be read.").since(error, at: client)
        }
    }

    /// The public keys of a client, by value or at its `jwks_uri`.
    func readKeys(
        of client: RegisteredClient,
        for compact: String
    ) async throws(ClientKeySets.Failure) -> JSONWebKeySet {
        if case .privateKeyJWT(let keys, _) = client.authenticationMethod, !keys.keys.isEmpty { return keys }
        if let keys = client.keySet { return keys }
        guard let uri = client.keySetURI, rules(for: client).clientReferences == .accepted,
            let transport = configuration.outbound
        else { return JSONWebKeySet([]) }
        let keyID = (try? UnverifiedJWT(compact))?.header.keyID
        return try await clientKeySets.keys(at: uri, naming: keyID, now: now, by: transport)
    }
}

extension Refusal {
    /// The same refusal, with the reason that the keys at a client's `jwks_uri` cannot be read.
    func since(_ failure: ClientKeySets.Failure, at client: RegisteredClient) -> Refusal {
        let place = client.keySetURI?.text.logged ?? "jwks_uri"
        return since("\(place) cannot be read. \(failure)").mended(by: "Check jwks_uri of the client.")
    }
}
