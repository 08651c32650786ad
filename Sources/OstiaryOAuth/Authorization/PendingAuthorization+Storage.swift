package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PendingAuthorization {
    /// Returns the request as an object for a sealed store, so that its response can arrive after a restart.
    ///
    /// The content is trusted when it is read: only this package can write and read it.
    package func stored() throws(SignInError) -> JSONObject {
        var object: JSONObject = [
            "url": .string(url.absoluteString),
            "issuer": .string(server.issuer.description),
            "client_id": .string(client.id),
            "redirect_uri": .string(client.redirectURI.description),
            "state": .string(state.reveal()),
            "nonce": .string(nonce.reveal()),
            "code_verifier": .string(proofKey.verifier.reveal()),
            "scope": .string(request.scopes.text),
        ]
        if !request.resources.isEmpty {
            object["resource"] = .array(request.resources.map { .string($0.description) })
        }
        if !request.prompt.isEmpty {
            object["prompt"] = .string(request.prompt.map(\.rawValue).joined(separator: " "))
        }
        object["max_age"] = request.wholeMaximumAge.map { .integer($0) }
        if case .required(let values) = request.authenticationContext {
            object["acr_values"] = .array(values.map { .string($0) })
        }
        if let dpopKey { object["dpop_key"] = .object(try dpopKey.stored()) }
        return object
    }

    /// Whether a stored request is this one, and not one that has taken its place.
    package func isStored(as object: JSONObject) -> Bool {
        object["state"]?.string.map { constantTimeEqual($0, state.reveal()) } ?? false
    }

    /// Reads the output of ``stored()``.
    ///
    /// `keys` finds a key again that other hardware keeps.
    ///
    /// - Throws: `storage` with `corrupted` when it is another client's or another server's, or not whole; `keyLost`.
    package init(
        stored object: JSONObject,
        client: Client,
        server: AuthorizationServer,
        keys: ExternalKeys = .none
    ) throws(SignInError) {
        let corrupted = SignInError(.storage, .storage(.corrupted))
        guard let url = object["url"]?.string.flatMap(URL.init(string:)),
            let issuer = object["issuer"]?.string, server.issuer.isNamed(issuer),
            let clientID = object["client_id"]?.string, clientID.utf8.elementsEqual(client.id.utf8),
            let redirect = object["redirect_uri"]?.string, let redirectURI = try? RedirectURI(redirect),
            let state = object["state"]?.string, let nonce = object["nonce"]?.string,
            let verifier = object["code_verifier"]?.string, let scope = object["scope"]?.string
        else { throw corrupted }
        let maximumAge: Duration? = object["max_age"]?.integer.map { .seconds($0) }
        var request = AuthorizationRequest(scopes: Scope.list(scope), maximumAge: maximumAge)
        request.prompt = (object["prompt"]?.string ?? "").split(separator: " ").map { .init(rawValue: String($0)) }
        for value in object["resource"]?.array ?? [] {
            guard let resource = value.string.flatMap({ try? ResourceIndicator($0) }) else { throw corrupted }
            request.resources.append(resource)
        }
        if let values = object["acr_values"]?.array {
            request.authenticationContext = .required(values.compactMap(\.string))
        }
        var dpopKey: DPoPKey?
        if let value = object["dpop_key"] {
            guard let members = value.object else { throw corrupted }
            dpopKey = try DPoPKey(stored: members, keys)
        }
        var client = client
        client.redirectURI = redirectURI
        self.init(
            url: url,
            request: request,
            client: client,
            server: server,
            state: Secret(state),
            nonce: Secret(nonce),
            proofKey: ProofKey(verifier: verifier),
            dpopKey: dpopKey
        )
    }
}
