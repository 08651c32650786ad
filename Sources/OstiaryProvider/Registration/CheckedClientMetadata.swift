import OstiaryJOSE
import OstiaryOAuth

/// A client's metadata (RFC 7591 section 2), checked.
///
/// Having one proves that the client can be served as it requests. Unknown members are left out (RFC 7591 section 2),
/// and missing ones have their defaults.
package struct CheckedClientMetadata: Sendable {
    /// Every member that is registered.
    let members: JSONObject
    /// The steps that the strict rules refuse.
    var admissions: [Admission] = []

    /// Takes metadata that was checked before.
    init(checked members: JSONObject) { self.members = members }

    /// Checks the metadata that a client sends.
    ///
    /// - Throws: `invalid_redirect_uri` and `invalid_client_metadata` (RFC 7591 section 3.2.2).
    init(_ sent: JSONObject, at configuration: ProviderConfiguration) throws(Refusal) {
        var members = JSONObject()
        let reader = ClientMetadataReader(sent, under: configuration.rules)
        for name in Self.texts { members[name] = try reader.text(name).map { .string($0) } }
        let fetches = configuration.rules.clientReferences == .accepted && configuration.outbound != nil
        for name in Self.addresses { members[name] = try reader.address(name).map { .string($0) } }
        let logo = members["logo_uri"]?.string.flatMap { try? ClientURI($0, fragment: .accepted) }
        try reader.check(logo, isLoadableAs: "logo_uri")
        members["application_type"] = try reader.applicationType().map { .string($0) }
        members["contacts"] = try reader.texts("contacts").map { .array($0.map { .string($0) }) }
        let grantTypes = try reader.grantTypes()
        members["grant_types"] = .array(grantTypes.map { .string($0.rawValue) })
        members["response_types"] = .array(try reader.responseTypes(grantTypes).map { .string($0) })
        let method = try reader.authenticationMethod()
        members["token_endpoint_auth_method"] = .string(method)
        guard method != "none" || !grantTypes.contains(.clientCredentials) else {
            throw .metadata("A client that does not authenticate cannot have client_credentials.")
        }
        let redirectURIs = try reader.redirectURIs("redirect_uris")
        guard !redirectURIs.isEmpty || !grantTypes.contains(.authorizationCode) else {
            throw .json(.invalidRedirectURI, "A client with authorization_code needs redirect_uris.")
        }
        if !redirectURIs.isEmpty { members["redirect_uris"] = .array(redirectURIs.map { .string($0) }) }
        let endings = try reader.redirectURIs("post_logout_redirect_uris")
        if !endings.isEmpty { members["post_logout_redirect_uris"] = .array(endings.map { .string($0) }) }
        for channel in Self.logoutChannels {
            // The browser loads the page of the front channel; the provider requests the other one itself.
            let isFront = channel == "frontchannel"
            guard isFront || configuration.outbound != nil else { continue }
            let reach = isFront ? .anywhere : configuration.registration.reach
            guard let uri = try reader.clientURI("\(channel)_logout_uri", reach: reach) else { continue }
            if isFront {
                try reader.check(uri, isLoadableAs: "frontchannel_logout_uri")
                try reader.check(uri, isAtOriginOf: redirectURIs)
            }
            let session = "\(channel)_logout_session_required"
            members["\(channel)_logout_uri"] = .string(uri.text)
            members[session] = .bool(try reader.bool(session) ?? false)
        }
        let scopes = try reader.scopes(configuration.scopes.map(\.scope))
        members["scope"] = .string(scopes.text)
        if !reader.ignored.isEmpty {
            let names = reader.ignored.joined(separator: ", ")
            admissions.append(Admission(rule: .emptyMetadata, reason: "Empty members are left out: \(names)."))
        }
        if let unknown = reader.unknownScopes(configuration.scopes.map(\.scope)) {
            admissions.append(Admission(rule: .unknownScopes, reason: "Unknown scopes are left out: \(unknown)"))
        }
        members["jwks"] = try reader.keys(method, fetches: fetches).map { .object($0) }
        if fetches {
            let reach = configuration.registration.reach
            admissions += try Self.readReferences(reader, redirectURIs, reach, into: &members)
        }
        members["token_endpoint_auth_signing_alg"] = try reader.assertionAlgorithm(method).map { .string($0.rawValue) }
        for name in Self.switches { members[name] = try reader.bool(name).map { .bool($0) } }
        for name in ["id_token_signed_response_alg", "userinfo_signed_response_alg"] {
            members[name] = try reader.algorithm(name, configuration.algorithms).map { .string($0.rawValue) }
        }
        // The default of OpenID Connect Dynamic Client Registration section 2, whichever algorithm the provider
        // prefers.
        if members["id_token_signed_response_alg"] == nil, configuration.algorithms.contains(.rs256) {
            members["id_token_signed_response_alg"] = "RS256"
        }
        self.members = members
    }

    /// Reads what the provider fetches, or computes pairwise subjects with.
    ///
    /// - Returns: The steps that the strict rules refuse.
    private static func readReferences(
        _ reader: ClientMetadataReader,
        _ redirectURIs: [String],
        _ reach: OutboundReach,
        into members: inout JSONObject
    ) throws(Refusal) -> [Admission] {
        var admissions: [Admission] = []
        if members["jwks"] == nil, try reader.clientURI("jwks_uri", reach: reach) != nil {
            let reason = "The client's keys are at its jwks_uri, which the provider fetches."
            admissions.append(Admission(rule: .clientReferences, reason: reason))
        }
        members["request_uris"] = try reader.requestURIs(reach: reach).map { .strings($0) }
        members["subject_type"] = try reader.subjectType().map { .string($0) }
        let sector = try reader.clientURI("sector_identifier_uri", reach: reach)
        members["sector_identifier_uri"] = sector.map { .string($0.text) }
        guard members["subject_type"] != "pairwise" || sector != nil || isOfOneHost(redirectURIs) else {
            throw .metadata(
                "Pairwise subjects need redirect_uris of one host with https or http, or a sector_identifier_uri."
            )
        }
        return admissions
    }

    private static func host(of uri: String) -> String? { URIParts(uri)?.authority?.host }

    /// Whether the host can be the sector: a scheme of private use has no owner of its host.
    private static func isOfOneHost(_ uris: [String]) -> Bool {
        let isWeb = uris.allSatisfy { ["https", "http"].contains(URIParts($0)?.scheme) && host(of: $0) != nil }
        return isWeb && Set(uris.map(host)).count == 1
    }

    private static let texts = ["client_name", "software_id", "software_version"]
    private static let switches = ["dpop_bound_access_tokens", "require_pushed_authorization_requests"]
    private static let logoutChannels = ["backchannel", "frontchannel"]
    private static let addresses = ["client_uri", "logo_uri", "tos_uri", "policy_uri", "jwks_uri"]
}

extension CheckedClientMetadata {
    /// The client's authentication method, by its name in the IANA registry.
    var authenticationMethod: String { members["token_endpoint_auth_method"]?.string ?? "client_secret_basic" }

    /// Whether the client has a secret.
    var hasSecret: Bool { authenticationMethod.hasPrefix("client_secret_") }

    private var keys: JSONWebKeySet? {
        members["jwks"]?.object.flatMap { try? JSONWebKeySet(parsing: $0.encoded()) }
    }

    /// The host that pairwise subjects are computed with (OpenID Connect Core section 8.1); `nil` for public ones.
    private var sector: String? {
        guard members["subject_type"] == "pairwise" else { return nil }
        let first = members["redirect_uris"]?.array?.first?.string
        return (members["sector_identifier_uri"]?.string ?? first).flatMap(Self.host)
    }

    private var pages: ClientPages {
        func page(_ name: String) -> ClientURI? {
            members[name]?.string.flatMap { try? ClientURI($0, fragment: .accepted) }
        }
        var pages = ClientPages()
        pages.home = page("client_uri")
        pages.policy = page("policy_uri")
        pages.terms = page("tos_uri")
        pages.logo = page("logo_uri")
        return pages
    }

    private func algorithm(_ name: String) -> SignatureAlgorithm? {
        members[name]?.string.flatMap(SignatureAlgorithm.init(rawValue:))
    }

    /// Returns the client that the metadata describes.
    ///
    /// `secret` is `nil` for a client without one, and for one whose secret has expired: no credential matches it.
    /// `reach` are the hosts of its URIs; one elsewhere has no effect.
    func client(id: String, secret: SecretDigest?, reach: OutboundReach) -> RegisteredClient {
        func texts(_ name: String) -> [String] { members[name]?.array?.compactMap(\.string) ?? [] }
        func addresses(_ name: String) -> [RedirectURI] { texts(name).compactMap { try? RedirectURI($0) } }
        let unmatchable = SecretDigest(text: "")
        let method: RegisteredClient.AuthenticationMethod =
            switch authenticationMethod {
            case "none": .none
            case "client_secret_post": .clientSecretPost(secret ?? unmatchable)
            case "private_key_jwt":
                .privateKeyJWT(keys: keys ?? JSONWebKeySet([]), algorithm: algorithm("token_endpoint_auth_signing_alg"))
            default: .clientSecretBasic(secret ?? unmatchable)
            }
        func logout(_ channel: String, reach: OutboundReach) -> ClientLogout? {
            let uri = members["\(channel)_logout_uri"]?.string.flatMap { try? ClientURI($0, reach: reach) }
            let isRequired = members["\(channel)_logout_session_required"]?.bool ?? false
            return uri.map { ClientLogout($0, isSessionRequired: isRequired) }
        }
        var client = RegisteredClient(
            id: id,
            name: members["client_name"]?.string ?? id,
            authenticationMethod: method,
            redirectURIs: addresses("redirect_uris"),
            postLogoutRedirectURIs: addresses("post_logout_redirect_uris"),
            allowedScopes: Scope.list(members["scope"]?.string ?? ""),
            grantTypes: Set(texts("grant_types").compactMap(RegisteredClient.GrantType.init(rawValue:))),
            idTokenAlgorithm: algorithm("id_token_signed_response_alg"),
            userInfoAlgorithm: algorithm("userinfo_signed_response_alg"),
            // A dialect may let the client decide; otherwise every registered client needs consent.
            requiresConsent: members["requires_consent"]?.bool ?? true,
            requiresDPoP: members["dpop_bound_access_tokens"]?.bool ?? false,
            requiresPushedAuthorization: members["require_pushed_authorization_requests"]?.bool ?? false
        )
        client.keySet = keys
        client.keySetURI = members["jwks_uri"]?.string.flatMap { try? ClientURI($0, reach: reach) }
        client.requestURIs = texts("request_uris").compactMap {
            try? ClientURI($0, reach: reach, fragment: .accepted)
        }
        client.sector = sector
        client.pages = pages
        client.backChannelLogout = logout("backchannel", reach: reach)
        client.frontChannelLogout = logout("frontchannel", reach: .anywhere)
        return client
    }
}

extension Refusal {
    package static func metadata(_ sentence: String) -> Refusal { .json(.invalidClientMetadata, sentence) }

    /// The refusal of a member with a URI; it names the option that accepts one of this machine.
    static func metadata(_ name: String, _ failure: ClientURI.Failure) -> Refusal {
        guard failure == .thisMachine else { return .metadata("\(name) \(failure).") }
        return metadata("\(name) \(failure). ostiary idp serve --loopback-clients accepts it.")
            .mended(by: "Start the provider with: ostiary idp serve --loopback-clients")
    }
}
