import OstiaryJOSE
import OstiaryOAuth

/// Reads the members of a registration request one by one; `null` counts as absent.
struct ClientMetadataReader {
    private static let maximumTextBytes = 2048
    private static let maximumElements = 20
    /// The members of which an empty text is left out where the rules allow it.
    private static let names = [
        "client_name", "software_id", "software_version", "client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri",
        "jwks", "application_type", "contacts", "grant_types", "response_types", "token_endpoint_auth_method",
        "token_endpoint_auth_signing_alg", "redirect_uris", "post_logout_redirect_uris", "scope",
        "dpop_bound_access_tokens", "require_pushed_authorization_requests", "id_token_signed_response_alg",
        "userinfo_signed_response_alg", "backchannel_logout_uri", "frontchannel_logout_uri",
        "subject_type", "sector_identifier_uri",
    ]
    private let sent: JSONObject
    private let rules: ProviderRules
    /// The members that were left out although the strict rules refuse them.
    let ignored: [String]

    /// Reads a registration request.
    ///
    /// `rules` are the rules for empty texts and unknown scopes.
    init(_ sent: JSONObject, under rules: ProviderRules) {
        ignored = rules.emptyMetadata == .ignored ? Self.names.filter { sent[$0]?.string?.isEmpty ?? false } : []
        self.sent = ignored.reduce(into: sent) { $0[$1] = nil }
        self.rules = rules
    }

    func text(_ name: String) throws(Refusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= Self.maximumTextBytes else {
            throw Refusal.metadata("\(name) is not a text of at most \(Self.maximumTextBytes) bytes.")
                .breaking(value.string?.isEmpty == true ? .emptyMetadata : nil)
        }
        return text
    }

    func texts(_ name: String) throws(Refusal) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array, array.count <= Self.maximumElements else {
            throw .metadata("\(name) is not a list of at most \(Self.maximumElements) texts.")
        }
        let texts = array.compactMap(\.string)
        guard texts.count == array.count, texts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.maximumTextBytes })
        else { throw .metadata("\(name) is not a list of texts.") }
        return texts
    }

    /// Returns an https or loopback address; users are sent to most of them.
    func address(_ name: String) throws(Refusal) -> String? {
        guard let text = try text(name) else { return nil }
        guard URIParts(text)?.isSecureOrLoopback == true else { throw .metadata("\(name) is not an https URL.") }
        return text
    }

    /// A URI that the provider or a page of it loads.
    func clientURI(_ name: String, reach: OutboundReach) throws(Refusal) -> ClientURI? {
        guard let text = try text(name) else { return nil }
        do { return try ClientURI(text, reach: reach) } catch { throw .metadata(name, error) }
    }

    /// Refuses a URI that no page can load.
    func check(_ uri: ClientURI?, isLoadableAs name: String) throws(Refusal) {
        guard uri?.isLoadableByPages ?? true else { throw .metadata(name, .addressInPolicy) }
    }

    /// The URIs of request objects, whose fragment may be the digest of the content.
    func requestURIs(reach: OutboundReach) throws(Refusal) -> [String]? {
        guard let uris = try texts("request_uris") else { return nil }
        for text in uris {
            do { _ = try ClientURI(text, reach: reach, fragment: .accepted) } catch {
                throw .metadata("One of request_uris", error)
            }
        }
        return uris
    }

    func subjectType() throws(Refusal) -> String? {
        guard let type = try text("subject_type") else { return nil }
        guard ["public", "pairwise"].contains(type) else { throw .metadata("The subject_type is public or pairwise.") }
        return type
    }

    /// Refuses a front-channel logout URI that is not at the origin of a redirect URI (OpenID Connect Front-Channel
    /// Logout section 2), but for the port of a loopback address.
    func check(_ uri: ClientURI, isAtOriginOf redirectURIs: [String]) throws(Refusal) {
        guard uri.isAtOrigin(ofAnyOf: redirectURIs) else {
            throw .metadata("frontchannel_logout_uri has another scheme, host or port than each of redirect_uris.")
        }
    }

    /// The grant types; those that the provider does not offer are left out, and the response says so. (RFC 7591
    /// section 3.2.1)
    func grantTypes() throws(Refusal) -> [RegisteredClient.GrantType] {
        guard let names = try texts("grant_types") else { return [.authorizationCode] }
        let types = names.compactMap(RegisteredClient.GrantType.init(rawValue:))
        guard !types.isEmpty else { throw .metadata("grant_types has no grant type that is supported.") }
        return types
    }

    /// The response types, which have to fit the grant types (RFC 7591 section 2.1); those that the provider does not
    /// offer are left out, as with ``grantTypes()``.
    func responseTypes(_ grantTypes: [RegisteredClient.GrantType]) throws(Refusal) -> [String] {
        let hasCodes = grantTypes.contains(.authorizationCode)
        guard let names = try texts("response_types") else { return hasCodes ? ["code"] : [] }
        let types = names.contains("code") ? ["code"] : []
        guard names.isEmpty || !types.isEmpty else { throw .metadata("The only response type is code.") }
        guard types.isEmpty != hasCodes else {
            throw .metadata("response_types has code exactly when grant_types has authorization_code.")
        }
        return types
    }

    func authenticationMethod() throws(Refusal) -> String {
        let method = try text("token_endpoint_auth_method") ?? "client_secret_basic"
        guard ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"].contains(method) else {
            throw .metadata("The token_endpoint_auth_method is not supported.")
        }
        return method
    }

    func redirectURIs(_ name: String) throws(Refusal) -> [String] {
        guard let value = value(name) else { return [] }
        let wrong = Refusal.json(.invalidRedirectURI, "\(name) is not a list of at most \(Self.maximumElements) texts.")
        guard let array = value.array, array.count <= Self.maximumElements else { throw wrong }
        var texts: [String] = []
        for element in array {
            guard let text = element.string, text.utf8.count <= Self.maximumTextBytes else { throw wrong }
            guard let uri = try? RedirectURI(text) else {
                throw .json(.invalidRedirectURI, "One of \(name) is not https, a scheme of the app's own, or loopback.")
            }
            try check(uri)
            texts.append(text)
        }
        return texts
    }

    func applicationType() throws(Refusal) -> String? {
        guard let type = try text("application_type") else { return nil }
        guard ["native", "web"].contains(type) else { throw .metadata("The application_type is web or native.") }
        return type
    }

    /// Rejects a custom scheme for a web client.
    ///
    /// OpenID Connect Dynamic Client Registration section 2 requires https of web clients with the implicit grant only,
    /// which the provider does not offer. A web client on a developer's machine may therefore use http on a loopback
    /// address.
    private func check(_ uri: RedirectURI) throws(Refusal) {
        guard try applicationType() != "web" || ["https", "http"].contains(uri.parts.scheme) else {
            throw .json(
                .invalidRedirectURI,
                "The redirect URI of a web client is https, or http on a loopback address."
            )
        }
    }

    func scopes(_ known: [Scope]) throws(Refusal) -> [Scope] {
        guard let text = try text("scope") else { return [.openID, .profile, .email, .offlineAccess] }
        let scopes = Scope.list(text)
        guard scopes.allSatisfy(\.isWellFormed) else {
            throw .metadata("The scope has a character that no scope may have.")
        }
        let left = scopes.filter(known.contains)
        guard !left.isEmpty, left.count == scopes.count || rules.unknownScopes == .ignored else {
            let unknown = scopes.filter { !known.contains($0) }.text.logged
            throw Refusal.metadata("This server does not know every scope of the request: \(unknown).")
                .breaking(left.isEmpty ? nil : .unknownScopes)
                .mended(by: "Leave out or add to the configuration's scopes: \(unknown).")
        }
        return left
    }

    /// Returns the unknown scopes as a text; `nil` without any.
    func unknownScopes(_ known: [Scope]) -> String? {
        let unknown = Scope.list(value("scope")?.string ?? "").filter { !known.contains($0) }
        return unknown.isEmpty ? nil : unknown.text.logged
    }

    func algorithm(_ name: String, _ known: [SignatureAlgorithm]) throws(Refusal) -> SignatureAlgorithm? {
        guard let text = try text(name) else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: text), known.contains(algorithm) else {
            throw .metadata("\(name) is an algorithm that is not supported.")
        }
        return algorithm
    }

    /// Returns the client's keys, by value or by address and not both (RFC 7591 section 2).
    func keys(_ method: String, fetches: Bool) throws(Refusal) -> JSONObject? {
        guard let value = value("jwks") else {
            guard method != "private_key_jwt" || fetches && self.value("jwks_uri") != nil else {
                throw Refusal.metadata(
                    "private_key_jwt needs jwks\(fetches ? " or jwks_uri." : ": the provider fetches nothing.")"
                )
                .breaking(self.value("jwks_uri") == nil ? nil : .clientReferences)
            }
            return nil
        }
        guard self.value("jwks_uri") == nil else { throw .metadata("Give jwks or jwks_uri, not both.") }
        guard let object = value.object, let set = try? JSONWebKeySet(parsing: object.encoded()), !set.keys.isEmpty,
            object["keys"]?.array?.allSatisfy({ Self.isPublic($0) }) == true
        else { throw .metadata("jwks is not a set of public keys to check signatures with.") }
        return object
    }

    /// Returns the algorithm of the client's assertions, if the client names one.
    func assertionAlgorithm(_ method: String) throws(Refusal) -> SignatureAlgorithm? {
        guard let algorithm = try algorithm("token_endpoint_auth_signing_alg", SignatureAlgorithm.allCases) else {
            return nil
        }
        guard method == "private_key_jwt" else {
            throw .metadata("token_endpoint_auth_signing_alg is for private_key_jwt.")
        }
        return algorithm
    }

    func bool(_ name: String) throws(Refusal) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw .metadata("\(name) is not true or false.") }
        return bool
    }

    private static func isPublic(_ key: JSONValue) -> Bool {
        ["d", "p", "q", "dp", "dq", "qi", "k"].allSatisfy { key.object?[$0] == nil }
    }

    private func value(_ name: String) -> JSONValue? { sent[name].flatMap { $0.isNull ? nil : $0 } }
}
