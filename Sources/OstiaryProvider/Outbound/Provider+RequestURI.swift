import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Puts the request object at a client's `request_uri` in its place, where the client's rules serve it.
    ///
    /// The URI is one that the client has registered: anyone can make the provider open it. (OpenID Connect Core
    /// section 6.2)
    func fetchRequestObject(_ sent: Parameters) async throws -> Parameters {
        guard let text = sent[.requestURI], sent.repetition == nil, let id = sent[.clientID],
            let client = try await client(id), rules(for: client).clientReferences == .accepted,
            let transport = configuration.outbound
        else { return sent }
        let failure: String
        var code = OAuthError.Code.invalidRequestURI
        if sent["request"] != nil {
            failure = "A request has request or request_uri, not both."
        } else if let uri = client.requestURIs.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
            switch await requestObject(at: uri, of: client, by: transport) {
            case .success(let object):
                var parameters = sent
                parameters[.requestURI] = nil
                parameters["request"] = object
                return parameters
            case .failure(let problem):
                failure = "The request_uri cannot be used. \(problem.sentence)"
                code = problem.code
            }
        } else {
            failure = "The request_uri is not one of the client's request_uris."
        }
        guard sent[.redirectURI] != nil else {
            throw Refusal.page(failure, code == .invalidRequestURI ? .badRequest : .serviceUnavailable)
        }
        let (_, address) = try await CheckedAuthorization.asker(sent, self)
        throw Refusal.redirect(OAuthError(code: code, description: failure), address)
    }

    /// Whether rules that accept references would have the provider fetch a URI.
    func mayFetch(_ text: String?, of client: RegisteredClient) -> Bool {
        guard let text, configuration.outbound != nil else { return false }
        return client.requestURIs.contains { $0.text.utf8.elementsEqual(text.utf8) }
    }

    private struct Problem: Error {
        var sentence: String
        var code = OAuthError.Code.invalidRequestURI
    }

    private func requestObject(
        at uri: ClientURI,
        of client: RegisteredClient,
        by transport: any OutboundTransport
    ) async -> Result<String, Problem> {
        // One bound for the client, by whichever scenario it is called.
        let id = idWithoutScenario(client.id)
        if let bound = requestFetches.begin(id, now: now) {
            return .failure(Problem(sentence: "Try again later: \(bound).", code: .temporarilyUnavailable))
        }
        defer { requestFetches.end(id) }
        return await Self.requestObject(at: uri, by: transport)
    }

    private static func requestObject(
        at uri: ClientURI,
        by transport: any OutboundTransport
    ) async -> Result<String, Problem> {
        do throws(OutboundFailure) {
            let request = EndpointRequest(url: uri.resource, limits: ClientKeySets.limits)
            let response = try await transport.send(request, reach: uri.reach)
            guard response.status == .ok else {
                return .failure(Problem(sentence: "The host responded with status \(response.status.code)."))
            }
            // The fragment is the digest of the content (OpenID Connect Core section 6.2).
            let digest = Base64URL.encode(HashAlgorithm.sha256.hash(response.body))
            guard uri.fragment.map({ $0.isEmpty || $0.utf8.elementsEqual(digest.utf8) }) ?? true else {
                return .failure(Problem(sentence: "Its content has another SHA-256 than its fragment."))
            }
            guard let text = String(utf8: response.body) else {
                return .failure(Problem(sentence: "Its content is not a text."))
            }
            return .success(text.filter { !$0.isWhitespace })
        } catch {
            return .failure(Problem(sentence: error.description))
        }
    }
}

extension OAuthError.Code {
    /// A request URI that cannot be used (OpenID Connect Core section 3.1.2.6).
    static let invalidRequestURI = Self(rawValue: "invalid_request_uri")
}
