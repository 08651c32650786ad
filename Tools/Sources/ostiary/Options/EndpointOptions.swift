import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// The metadata of a server that publishes none; it is stored with the profile.
struct EndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON file with the issuer's metadata (RFC 8414), for an issuer that publishes none or a wrong one.",
            valueName: "file"
        ),
        completion: .file()
    )
    var metadata: String?

    @Option(help: ArgumentHelp("The authorization endpoint; no metadata is read then.", valueName: "url"))
    var authorizationEndpoint: String?

    @Option(help: ArgumentHelp("The token endpoint; no metadata is read then.", valueName: "url"))
    var tokenEndpoint: String?

    @Option(help: ArgumentHelp("The URL of the keys that sign ID tokens.", valueName: "url"))
    var jwksURI: String?

    @Option(help: ArgumentHelp("The device authorization endpoint.", valueName: "url"))
    var deviceAuthorizationEndpoint: String?

    @Option(help: ArgumentHelp("The UserInfo endpoint.", valueName: "url"))
    var userinfoEndpoint: String?

    @Option(help: ArgumentHelp("The revocation endpoint.", valueName: "url"))
    var revocationEndpoint: String?

    @Option(help: ArgumentHelp("The end-session endpoint.", valueName: "url"))
    var endSessionEndpoint: String?

    private var endpoints: [(name: String, url: String?)] {
        [
            ("authorization_endpoint", authorizationEndpoint), ("token_endpoint", tokenEndpoint),
            ("jwks_uri", jwksURI), ("device_authorization_endpoint", deviceAuthorizationEndpoint),
            ("userinfo_endpoint", userinfoEndpoint), ("revocation_endpoint", revocationEndpoint),
            ("end_session_endpoint", endSessionEndpoint),
        ]
    }

    /// The metadata; `nil` when the issuer's own is to be read.
    ///
    /// - Throws: ``UsageError`` for a file without an object, for metadata of another issuer, and for an endpoint that
    ///   nothing secret may be sent to.
    func metadata(of issuer: Issuer) throws(UsageError) -> ServerMetadata? {
        let given = endpoints.filter { $0.url != nil }
        guard metadata != nil || !given.isEmpty else { return nil }
        var members: JSONObject = ["issuer": .string(issuer.description)]
        if let metadata { members = try JSONFile.object(metadata, "metadata") }
        for endpoint in given { members[endpoint.name] = endpoint.url.map { .string($0) } }
        guard members["issuer"] == .string(issuer.description) else {
            throw UsageError(
                "The metadata file \(metadata ?? "") is of the issuer \((members["issuer"]?.string ?? "none").shortened), "
                    + "not of \(issuer)."
            )
        }
        return try ServerMetadata(members)
    }
}

/// The metadata of an authorization server that was given by hand.
package struct ServerMetadata: Sendable, Hashable {
    /// The object as JSON.
    package let text: String

    /// Takes the members.
    ///
    /// - Throws: ``UsageError`` for an endpoint that is neither https nor on this machine.
    init(_ members: JSONObject) throws(UsageError) {
        for member in members.members where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri" {
            guard let url = member.value.string.flatMap(URL.init(string:)), Origin(url) != nil else {
                throw UsageError("\(member.name) is not an https URL, or an http URL on this machine.")
            }
        }
        text = String(decoding: members.encoded(), as: UTF8.self)
    }

    /// Takes what a profile has stored.
    package init(stored text: String) { self.text = text }

    /// The server.
    ///
    /// - Throws: `configuration` when what is stored is not the metadata of this issuer.
    func server(of issuer: Issuer) throws(SignInError) -> AuthorizationServer {
        guard let members = try? JSONObject(parsing: Array(text.utf8)),
            members["issuer"] == .string(issuer.description)
        else {
            throw SignInError(.discovery, .configuration("The metadata of this profile cannot be read: sign in again."))
        }
        func url(_ name: String) -> URL? { members[name]?.string.flatMap(URL.init(string:)) }
        func texts(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }
        var server = AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: url("authorization_endpoint"),
            tokenEndpoint: url("token_endpoint"),
            jwksURI: url("jwks_uri"),
            userInfoEndpoint: url("userinfo_endpoint"),
            revocationEndpoint: url("revocation_endpoint"),
            endSessionEndpoint: url("end_session_endpoint"),
            sendsIssuerInResponses: members["authorization_response_iss_parameter_supported"]?.bool ?? false
        )
        server.introspectionEndpoint = url("introspection_endpoint")
        server.registrationEndpoint = url("registration_endpoint")
        server.deviceAuthorizationEndpoint = url("device_authorization_endpoint")
        server.pushedAuthorizationRequestEndpoint = url("pushed_authorization_request_endpoint")
        server.requiresPushedAuthorizationRequests = members["require_pushed_authorization_requests"]?.bool ?? false
        server.tokenEndpointAuthenticationMethods = texts("token_endpoint_auth_methods_supported")
        server.codeChallengeMethods = texts("code_challenge_methods_supported")
        server.scopes = texts("scopes_supported")?.map(Scope.init(rawValue:))
        server.idTokenSigningAlgorithms = texts("id_token_signing_alg_values_supported").map {
            Set($0.compactMap(SignatureAlgorithm.init(rawValue:)))
        }
        server.dpopSigningAlgorithms = texts("dpop_signing_alg_values_supported").map {
            Set($0.compactMap(SignatureAlgorithm.init(rawValue:)))
        }
        server.metadata = members
        return server
    }
}
