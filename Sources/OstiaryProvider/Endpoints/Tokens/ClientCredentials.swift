import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client's credentials at the token endpoint and its siblings (RFC 6749 section 2.3.1).
struct ClientCredentials {
    enum Place {
        case none, field, form, assertion, attestation
    }

    /// The challenge to a client that did not authenticate.
    static let challenge = "Basic realm=\"ostiary\", charset=\"UTF-8\""

    var id: String
    /// The secret, or the assertion; empty for none.
    var secret: String
    /// The place of the secret, or the presence of an assertion.
    var place: Place
    /// A Basic credential read without form decoding, where that differs.
    private var raw: Pair?
    /// Whether the credential is not form-encoded.
    private var isRaw = false

    /// A client and its secret.
    private struct Pair {
        var id: String
        var secret: String
        /// Whether it was read without form decoding.
        var isRaw = false
    }

    /// Reads the credentials of a request: one mechanism, never two.
    init(_ request: ProviderRequest, _ form: Parameters) throws(Refusal) {
        let fields = request.fields[values: .authorization]
        guard fields.count <= 1 else { throw .json(.invalidRequest, "There are several Authorization fields.") }
        guard form[.clientAssertion] == nil, form[.clientAssertionType] == nil else {
            guard fields.isEmpty, form[.clientSecret] == nil else {
                throw .json(.invalidRequest, "The client authenticates in two ways at once.")
            }
            guard let (id, assertion) = ClientAssertion.named(in: form) else {
                throw .unknownClient("The client assertion, its type or the client that it names cannot be read.")
            }
            self.id = id
            secret = assertion
            place = .assertion
            return
        }
        guard request.fields[.clientAttestation] == nil, request.fields[.clientAttestationProof] == nil else {
            guard fields.isEmpty, form[.clientSecret] == nil else {
                throw .json(.invalidRequest, "The client authenticates in two ways at once.")
            }
            guard let id = form[.clientID], !id.isEmpty else { throw .unknownClient("The client_id is missing.") }
            self.id = id
            secret = ""
            place = .attestation
            return
        }
        guard let field = fields.first else {
            guard let id = form[.clientID], !id.isEmpty else { throw .unknownClient("The client_id is missing.") }
            self.id = id
            secret = form[.clientSecret] ?? ""
            place = secret.isEmpty ? .none : .form
            return
        }
        let pairs = Self.pairs(field)
        guard !pairs.isEmpty else {
            throw .unknownClient("The Authorization field is not a Basic credential of form-encoded id and secret.")
        }
        guard form[.clientSecret] == nil else {
            throw .json(.invalidRequest, "The client authenticates in two ways at once.")
        }
        let named = pairs.filter { pair in form[.clientID].map { $0.utf8.elementsEqual(pair.id.utf8) } ?? true }
        guard let pair = named.first else {
            throw .json(.invalidRequest, "The client_id in the form is not the one in the Authorization field.")
        }
        id = pair.id
        secret = pair.secret
        isRaw = pair.isRaw
        raw = named.dropFirst().first.flatMap { $0.id == pair.id && $0.secret == pair.secret ? nil : $0 }
        // Some clients without a secret send a Basic credential with an empty one.
        place = secret.isEmpty ? .none : .field
    }

    /// The readings of a Basic credential: with its halves form-encoded before they were joined, and then without.
    private static func pairs(_ field: String) -> [Pair] {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let pair = String(utf8: data)
        else { return [] }
        let halves = pair.split(separator: ":", omittingEmptySubsequences: false)
        var pairs: [Pair] = []
        if halves.count == 2, let id = FormURLEncoding.unescape(halves[0]),
            let secret = FormURLEncoding.unescape(halves[1]), !id.isEmpty
        {
            pairs.append(Pair(id: id, secret: secret))
        }
        // A client identifier that is not encoded has no colon; a secret may have. (RFC 7617 section 2)
        if halves.count >= 2, !halves[0].isEmpty {
            let secret = halves.dropFirst().joined(separator: ":")
            pairs.append(Pair(id: String(halves[0]), secret: secret, isRaw: true))
        }
        return pairs
    }

    /// Returns the client, if it authenticates with its registered method or one that its rules allow, and the steps
    /// that the strict rules refuse.
    func client(at provider: Provider) async throws -> (RegisteredClient, [Admission]) {
        guard let raw else { return try await clientOfReading(at: provider) }
        do {
            return try await clientOfReading(at: provider)
        } catch let refusal as Refusal {
            var other = self
            (other.id, other.secret, other.isRaw) = (raw.id, raw.secret, true)
            other.place = raw.secret.isEmpty ? .none : .field
            do {
                return try await other.clientOfReading(at: provider)
            } catch let second as Refusal {
                throw refusal.note.rule == nil && second.note.rule != nil ? second : refusal
            }
        }
    }

    /// Returns the client that one reading of the credentials authenticates, like ``client(at:)``.
    private func clientOfReading(at provider: Provider) async throws -> (RegisteredClient, [Admission]) {
        guard let client = try await provider.client(id) else {
            throw Refusal.unknownClient("The client is unknown.")
                .mended(by: "Known clients: \(provider.configuration.clients.map(\.id).logged).")
        }
        let rules = provider.rules(for: client)
        let raw = isRaw ? rawAdmissions(for: client, provider) : []
        var admissions = raw ?? []
        let isAuthenticated: Bool
        switch (client.authenticationMethod, place) {
        case (.none, .none): isAuthenticated = true
        case (.clientSecretBasic(let digest), .field), (.clientSecretPost(let digest), .form):
            isAuthenticated = digest.matches(secret)
        case (.clientSecretBasic(let digest), .form) where provider.configuration.dialect.acceptsPostedSecrets:
            isAuthenticated = digest.matches(secret)
        case (.clientSecretBasic(let digest), .form), (.clientSecretPost(let digest), .field):
            let isRight = digest.matches(secret)
            guard rules.secretPlaces == .either || !isRight else {
                throw Refusal.unknownClient(methods(client)).breaking(.secretPlaces)
                    .mended(
                        by: "Register the client for \(usedMethod), or have it use \(client.authenticationMethod.name)."
                    )
            }
            admissions.append(Admission(rule: .secretPlaces, reason: methods(client)))
            isAuthenticated = isRight && rules.secretPlaces == .either
        default: isAuthenticated = isSigned(client, provider)
        }
        guard isAuthenticated else {
            let isMethodRight = usedMethod == client.authenticationMethod.name
            throw Refusal.unknownClient(isMethodRight ? "The client's secret is wrong." : methods(client))
        }
        guard raw != nil else {
            throw Refusal.unknownClient("The Basic credential is not form-encoded.").breaking(.rawBasicCredentials)
                .mended(by: "Form-encode client identifier and secret before you join them with a colon.")
        }
        guard rules.authenticationMethods == .every || client.authenticationMethod.name == "private_key_jwt" else {
            throw Refusal.unknownClient("The client is not registered for private_key_jwt.")
                .breaking(.authenticationMethods)
        }
        return (client, admissions)
    }

    /// Whether the client signs its credential; an assertion or attestation is checked later.
    private func isSigned(_ client: RegisteredClient, _ provider: Provider) -> Bool {
        switch (client.authenticationMethod, place) {
        case (.privateKeyJWT, .assertion), (.attestation, .attestation): true
        case (.signedSecret(let keys, let developer), .form):
            SignedSecret(
                clientID: client.id,
                developer: developer,
                audience: provider.configuration.issuer,
                keys: keys
            )
            .accepts(secret, now: provider.now)
        default: false
        }
    }

    /// The steps of a credential that is not form-encoded; `nil` where it is refused.
    private func rawAdmissions(for client: RegisteredClient, _ provider: Provider) -> [Admission]? {
        if provider.configuration.basicCredentials == .formEncodedOrRaw { return [] }
        guard provider.rules(for: client).rawBasicCredentials == .accepted else { return nil }
        return [Admission(rule: .rawBasicCredentials, reason: "The Basic credential is not form-encoded.")]
    }

    /// The method that the request uses, by its name in the IANA registry.
    private var usedMethod: String {
        switch place {
        case .none: "none"
        case .field: "client_secret_basic"
        case .form: "client_secret_post"
        case .assertion: "private_key_jwt"
        case .attestation: "attest_jwt_client_auth"
        }
    }

    private func methods(_ client: RegisteredClient) -> String {
        "The client authenticated with \(usedMethod); it is registered for \(client.authenticationMethod.name)."
    }
}

extension Refusal {
    /// `invalid_client`, with the challenge that RFC 6749 section 5.2 requires.
    static func unknownClient(_ sentence: String) -> Refusal {
        .json(
            OAuthError(code: .invalidClient, description: sentence),
            .unauthorized,
            challenge: ClientCredentials.challenge
        )
    }
}

extension Provider {
    /// The form of a client's request and the client that sent it.
    func clientRequest(_ request: ProviderRequest) async throws -> (RegisteredClient, form: Parameters) {
        try refuseSecretsInQuery(of: request)
        guard let read = request.formParameters else {
            throw Refusal.json(.invalidRequest, "The body has to be application/x-www-form-urlencoded.")
        }
        let form = read.omittingEmptyValues
        if let repetition = form.repetition { throw Refusal.json(.invalidRequest, repetition) }
        let credentials = try ClientCredentials(request, form)
        var (client, admissions) = try await credentials.client(at: self)
        admissions += try await checkAssertion(of: client, credentials, request)
        reportAdmissions(admissions, of: client, request)
        if case .attestation(let attesterKeys) = client.authenticationMethod {
            client.instance = try await attestedInstance(of: client, trusting: attesterKeys, request)
        }
        return (client, form)
    }

    /// Rejects a query that holds a credential, since URLs end in logs (RFC 6749 section 2.3.1).
    ///
    /// Any other query is ignored: a server ignores parameters that it does not know (RFC 6749 section 3.2).
    private func refuseSecretsInQuery(of request: ProviderRequest) throws(Refusal) {
        guard request.query?.isEmpty == false else { return }
        guard let parameters = request.queryParameters else {
            throw .json(.invalidRequest, "The query cannot be read.")
        }
        let secrets: Set<Parameters.Name> = [
            .clientSecret, .clientAssertion, .code, .codeVerifier, "password", "refresh_token", "access_token", "token",
            "subject_token", "actor_token", "device_code", "assertion",
        ]
        guard let name = parameters.names.first(where: secrets.contains) else { return }
        throw .json(.invalidRequest, "The query has \(name.rawValue): it belongs into the form.")
    }

    /// Checks a client's assertion, where it is registered for that; each assertion is accepted once.
    ///
    /// - Returns: The steps that the strict rules refuse.
    private func checkAssertion(
        of client: RegisteredClient,
        _ credentials: ClientCredentials,
        _ request: ProviderRequest
    ) async throws -> [Admission] {
        guard case .privateKeyJWT(_, let algorithm) = client.authenticationMethod else { return [] }
        let keys = try await keys(of: client, for: credentials.secret)
        let rules = rules(for: client)
        let configured = lifetimes.clientAssertion.inSeconds
        let check = { [self] (rules: ProviderRules) -> ClientAssertion in
            let own = routes.route(at: request.path).map(routes.url)
            let isIssuer = manners.clientAssertionAudience == .issuer
            return ClientAssertion(
                clientID: client.id,
                audience: isIssuer ? configuration.issuer.description : routes.url(.token),
                otherAudiences: rules.assertionAudience == .issuerOrEndpoint
                    ? [configuration.issuer.description, routes.url(.token)] + [own].compactMap(\.self) : nil,
                keys: keys,
                algorithms: (algorithm.map { [$0] } ?? Set(SignatureAlgorithm.allCases)).intersection(rules.algorithms),
                longestLifetime: rules.assertionLifetime == .hour ? max(configured, ClientAssertion.hour) : configured
            )
        }
        do {
            let assertion = try check(rules).accepted(credentials.secret, now: now)
            guard try await storage.add(assertion.record(of: client)) else { throw ClientAssertion.Failure.reuse }
            var admissions: [Admission] = []
            if !assertion.isForIssuer {
                let reason = "The client assertion's aud is a list, or an endpoint."
                admissions.append(Admission(rule: .assertionAudience, reason: reason))
            }
            if assertion.expires > now.addingTimeInterval(configured) {
                let reason = "The client assertion is valid for more than \(Int(configured)) s."
                admissions.append(Admission(rule: .assertionLifetime, reason: reason))
            }
            return admissions
        } catch let failure as ClientAssertion.Failure {
            // The assertion may have another fault as well, which only a check by the lenient rules finds.
            let rule = failure.rule(under: rules)
            let lenient = rule?.lenientRules.flatMap(ProviderRules.named)
            let isServed = lenient.map { (try? check($0).accepted(credentials.secret, now: now)) != nil } ?? false
            throw Refusal.unknownClient(failure.sentence).breaking(isServed ? rule : nil)
        }
    }
}
