import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary discover`: an issuer's metadata, and whether a sign-in can work there.
struct Discover: ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read the metadata of an issuer or resource server.",
        discussion: """
            EXAMPLES
              ostiary discover --issuer https://id.example.com
              ostiary discover --issuer https://id.example.com --json | jq .missing
              ostiary discover --identifier alice@example.com
              ostiary discover --resource https://api.example.com/v1
            """
    )

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the provider writes it.", valueName: "url"))
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "An account instead, such as alice@example.com; its host names the issuer (WebFinger).",
            valueName: "name"
        )
    )
    var identifier: String?

    @Option(help: ArgumentHelp("A resource server's URL instead, exactly as clients use it.", valueName: "url"))
    var resource: String?

    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if CommandSettings.current.issuer != nil, [issuer, identifier, resource].allSatisfy({ $0 == nil }) { return }
        guard [issuer, identifier, resource].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give --issuer, --identifier or --resource.")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let context = ExchangeContext(events: { trace.record($0) })
        if let resource {
            let fetch = ResourceMetadataRequest(try ResourceIndicator(resource))
            return Answer(try await commandTransport.perform(fetch, in: context))
        }
        let issuer = try await named(in: context)
        async let openIDConnect = MetadataDocument(of: issuer, form: .openIDConnect, in: context)
        async let oauth = MetadataDocument(of: issuer, form: .oauth, in: context)
        return Answer(try DiscoveredIssuer(issuer, [await openIDConnect, await oauth]))
    }
}

extension Discover {
    /// Returns the given issuer, or the one that the user's host names (OpenID Connect Discovery section 2).
    private func named(in context: ExchangeContext) async throws -> Issuer {
        guard let identifier else { return try Issuer(issuer ?? CommandSettings.current.issuer ?? "") }
        return try await commandTransport.perform(try IssuerDiscoveryRequest(identifier), in: context)
    }
}

/// One of the two documents that an issuer may have.
struct MetadataDocument: Sendable {
    let form: ServerMetadataRequest.Form
    let url: String
    let result: Result<AuthorizationServer, SignInError>

    /// Reads it.
    init(of issuer: Issuer, form: ServerMetadataRequest.Form, in context: ExchangeContext) async {
        let discovery = ServerMetadataRequest(issuer, form: form)
        self.form = form
        url = discovery.url?.absoluteString ?? issuer.description
        do throws(SignInError) {
            result = .success(try await commandTransport.perform(discovery, in: context))
        } catch {
            result = .failure(error)
        }
    }
}

/// Both documents taken together.
struct DiscoveredIssuer {
    let issuer: Issuer
    let documents: [MetadataDocument]
    private let servers: [AuthorizationServer]

    /// - Throws: The error of the first document, or of the second one where the first is missing.
    init(_ issuer: Issuer, _ documents: [MetadataDocument]) throws(SignInError) {
        self.issuer = issuer
        self.documents = documents
        servers = documents.compactMap { try? $0.result.get() }
        guard servers.isEmpty else { return }
        let failures = documents.compactMap { document -> SignInError? in
            if case .failure(let error) = document.result { error } else { nil }
        }
        throw failures.first { $0.reason != .server(status: 404) } ?? failures.first
            ?? SignInError(.discovery, .malformed("the metadata"))
    }

    /// The document that names the keys, the OpenID Connect document first.
    var serverWithKeys: AuthorizationServer { servers.first { $0.jwksURI != nil } ?? servers[0] }

    /// Every endpoint, from whichever document names it, the OpenID Connect one first.
    var endpoints: [(name: String, url: String)] {
        var seen: Set<String> = []
        return servers.flatMap(\.metadata.members).compactMap { member in
            guard member.name.hasSuffix("_endpoint") || member.name == "jwks_uri", let url = member.value.string,
                seen.insert(member.name).inserted
            else { return nil }
            return (member.name, url)
        }
    }

    /// Returns a member of the metadata, from whichever document has it.
    func member(_ name: String) -> JSONValue? { servers.lazy.compactMap { $0.metadata[name] }.first }

    /// The members that a sign-in needs and the metadata lacks.
    var missing: [String] {
        var missing = ["authorization_endpoint", "token_endpoint", "jwks_uri"].filter { name in
            !endpoints.contains { $0.name == name }
        }
        func lacks(_ name: String, _ isEnough: ([String]) -> Bool) -> Bool {
            member(name)?.array.map { !isEnough($0.compactMap(\.string)) } ?? false
        }
        if lacks("code_challenge_methods_supported", { $0.contains("S256") }) { missing.append("PKCE with S256") }
        if lacks("response_types_supported", { $0.contains("code") }) { missing.append("response type code") }
        if lacks("grant_types_supported", { $0.contains("authorization_code") }) {
            missing.append("grant type authorization_code")
        }
        if lacks("id_token_signing_alg_values_supported", { !$0.compactMap(SignatureAlgorithm.init).isEmpty }) {
            missing.append("an asymmetric algorithm for ID tokens")
        }
        return missing
    }
}

extension Answer {
    fileprivate init(_ found: ResourceMetadata) {
        members = [
            "resource": .string(found.resource.description),
            "authorizationServers": .array(found.authorizationServers.map { .string($0.description) }),
            "requiresDPoP": .bool(found.requiresDPoP),
            "metadata": .object(found.members),
        ]
        var table = ClaimsTable()
        for server in found.authorizationServers { table.add("authorization server", server.description) }
        if let scopes = found.scopes { table.add("scopes", scopes.text) }
        if let methods = found.bearerMethods { table.add("tokens are shown in", methods.joined(separator: " ")) }
        table.add("bound tokens only", found.requiresDPoP ? "yes" : "no")
        text = "\(found.resource.description.printable)\n\n" + table.text
    }

    fileprivate init(_ found: DiscoveredIssuer) {
        members = [
            "issuer": .string(found.issuer.description),
            "documents": .array(found.documents.map { .object($0.object) }),
            "endpoints": .object(
                found.endpoints.reduce(into: JSONObject()) { $0[$1.name] = .string($1.url) }
            ),
            "missing": .array(found.missing.map { .string($0) }),
            "metadata": .object(found.documents.lazy.compactMap { try? $0.result.get().metadata }.first ?? [:]),
        ]
        text = "\(found.issuer.description.printable)\n\nDocuments\n"
        var documents = ClaimsTable()
        for document in found.documents { documents.add(document.name, document.state + "  " + document.url) }
        var endpoints = ClaimsTable()
        for endpoint in found.endpoints { endpoints.add(endpoint.name, endpoint.url) }
        var abilities = ClaimsTable()
        for name in Self.abilities {
            guard let value = found.member(name) else { continue }
            abilities.add(name, value.words)
        }
        text += documents.text + "\nEndpoints\n" + endpoints.text
        text += "\nAbilities\n" + abilities.text + "\n"
        text +=
            found.missing.isEmpty
            ? "Nothing is missing for a sign-in.\n"
            : "Missing for a sign-in: " + found.missing.joined(separator: ", ").printable + "\n"
    }

    private static let abilities = [
        "scopes_supported", "response_types_supported", "grant_types_supported", "code_challenge_methods_supported",
        "token_endpoint_auth_methods_supported", "dpop_signing_alg_values_supported",
        "require_pushed_authorization_requests", "id_token_signing_alg_values_supported",
        "userinfo_signing_alg_values_supported", "acr_values_supported",
        "authorization_response_iss_parameter_supported",
    ]
}

extension MetadataDocument {
    fileprivate var name: String {
        switch form {
        case .openIDConnect: "openid-configuration"
        case .oauth: "oauth-authorization-server"
        }
    }

    fileprivate var state: String {
        switch result {
        case .success: "found"
        case .failure(let error) where error.reason == .server(status: 404): "none"
        case .failure(let error): "unusable: " + error.message
        }
    }

    fileprivate var object: JSONObject {
        var object: JSONObject = ["name": .string(name), "url": .string(url), "found": false, "error": .null]
        switch result {
        case .success: object["found"] = true
        case .failure(let error): object["error"] = .object(Failure(error).object)
        }
        return object
    }
}

extension JSONValue {
    fileprivate var words: String {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "yes" : "no"
        case .array(let values): values.compactMap(\.string).joined(separator: " ")
        default: ""
        }
    }
}
