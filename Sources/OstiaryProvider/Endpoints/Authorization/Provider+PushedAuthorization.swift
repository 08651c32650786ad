import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"
    /// The client's credentials, which are not stored with the request.
    private static let credentials: [Parameters.Name] = [.clientSecret, .clientAssertion, .clientAssertionType]

    /// The pushed authorization request endpoint (RFC 9126 section 2).
    ///
    /// It makes every check of the authorization endpoint that needs no browser, and reports errors as JSON.
    func pushAuthorization(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (client, form) = try await clientRequest(request)
        var parameters = form
        for name in Self.credentials { parameters[name] = nil }
        configuration.dialect.readAuthorization(&parameters, at: self)
        guard parameters[.requestURI] == nil else {
            throw Refusal.json(.invalidRequest, "A request_uri cannot be pushed.")
                .mended(by: "Push the parameters of the request themselves, without request_uri.")
        }
        do {
            parameters = try await openRequestObject(parameters, request)
        } catch let refusal as Refusal {
            throw refusal.asJSON
        }
        let authorization = try await checkPushed(parameters)
        report(authorization, request)
        if let key = try await provenKey(of: request, at: .pushedAuthorization, for: client) {
            // A proof here means the same as dpop_jkt, and must not contradict it (RFC 9449 section 10.1).
            guard authorization.keyThumbprint.map({ constantTimeEqual($0, key) }) ?? true else {
                throw Refusal.json(.invalidDPoPProof, "The dpop_jkt is not the key of the DPoP proof.")
            }
            parameters[.dpopKeyThumbprint] = key
        }
        refusedPushes.forget(client.id)
        let secret = random.secret()
        let lifetime = lifetimes.pushedRequest.inSeconds
        try await storage.put(
            PushedRequest(clientID: client.id, parameters: parameters)
                .record(secret: secret, expires: now.addingTimeInterval(lifetime))
        )
        var answer: JSONObject = [
            "request_uri": .string(Self.requestURIPrefix + secret), "expires_in": .integer(Int(lifetime)),
        ]
        scenario.pushedAuthorization(&answer)
        var response = ProviderResponse.json(answer, status: .created)
        response.fields.append(contentsOf: nonceField(.authorizationServer))
        return response
    }

    /// Returns the parameters of the pushed request that a browser opens; `nil` when it names none of this provider.
    ///
    /// Opening a request uses it up, so that an attacker who saw the link cannot open it (RFC 9126 section 7.3).
    func openPushedRequest(_ sent: Parameters) async throws -> Parameters? {
        guard let uri = sent[.requestURI], uri.hasPrefix(Self.requestURIPrefix) else { return nil }
        if let repetition = sent.repetition { throw Refusal.page(repetition) }
        // Only the pushed request was checked and authenticated. Other parameters came through a browser and are
        // ignored: clients may repeat them for servers that read the query (RFC 9126 section 4, RFC 9101 section 5).
        guard let clientID = sent[.clientID] else {
            throw Refusal.page("A pushed request is opened with client_id and request_uri: client_id is missing.")
        }
        let lifetime = Int(lifetimes.pushedRequest.inSeconds)
        let unusable = Refusal.page("The request_uri is unknown, used, too old, or another client's.")
            .mended(by: "Push the request again, and open its request_uri once, within \(lifetime) s.")
        let key = SecretDigest(String(uri.dropFirst(Self.requestURIPrefix.count))).text
        guard let record = try await storage.record(.pushedRequest, key), let pushed = PushedRequest(record) else {
            let sentence = "There is no pushed request with this request_uri, or it expired long ago."
            throw unusable.since([sentence, refusedPush(of: clientID)].compactMap(\.self).joined(separator: " "))
        }
        guard pushed.clientID.utf8.elementsEqual(clientID.utf8) else {
            throw unusable.since("Another client pushed the request with this request_uri.")
        }
        guard let expires = record.expires, expires > now else {
            throw unusable.since("The request_uri has expired.")
        }
        guard case .first = try await storage.use(.pushedRequest, key) else {
            throw unusable.since("The request_uri was opened before.")
        }
        return pushed.parameters
    }

    /// The reason of the client's last pushed request, if it was refused a short while ago.
    private func refusedPush(of clientID: String) -> String? {
        refusedPushes.reason(of: clientID, at: now).map { "The client's last pushed request was refused: \($0)" }
    }

    /// Rejects a request that came through the browser where pushing is required (RFC 9126 sections 5 and 6).
    func refusePlainRequest(_ authorization: CheckedAuthorization) throws(Refusal) {
        guard
            configuration.requiresPushedAuthorizationRequests || authorization.client.requiresPushedAuthorization
                || rules(for: authorization.client).pushedRequests == .everyClient
        else { return }
        let error = OAuthError(code: .invalidRequest, description: "The authorization request has to be pushed.")
        let isRule =
            !configuration.requiresPushedAuthorizationRequests && !authorization.client.requiresPushedAuthorization
        var refusal = Refusal.redirect(error, authorization.address).breaking(isRule ? .pushedRequests : nil)
            .mended(by: ProviderRule.pushedRequests.change)
        if let pushed = refusedPush(of: authorization.client.id) {
            refusal = refusal.since("The authorization request has to be pushed. \(pushed)")
        }
        throw refusal
    }

    private func checkPushed(_ parameters: Parameters) async throws -> CheckedAuthorization {
        do {
            let authorization = try await CheckedAuthorization(parameters, at: self)
            _ = try await hintedSubject(authorization)
            return authorization
        } catch let refusal as Refusal {
            throw refusal.asJSON
        }
    }
}
