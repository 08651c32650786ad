import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Registers a client (RFC 7591 section 3.1).
public struct ClientRegistrationRequest: Exchange {
    let metadata: ClientMetadata
    let initialAccessToken: Secret?
    let server: AuthorizationServer

    /// Registers a client with its metadata.
    ///
    /// - Parameters:
    ///   - metadata: The client's metadata (RFC 7591 section 2).
    ///   - initialAccessToken: The token that a server without open registration requires.
    ///   - server: The server, from its metadata.
    public init(_ metadata: ClientMetadata, initialAccessToken: Secret? = nil, server: AuthorizationServer) {
        self.metadata = metadata
        self.initialAccessToken = initialAccessToken
        self.server = server
    }

    /// Stage `registration`.
    public var stage: SignInError.Stage { .registration }

    /// A POST of the metadata as JSON.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.registrationEndpoint else {
            throw SignInError(.registration, .unsupported("a registration_endpoint"))
        }
        var request = EndpointRequest(
            url: url,
            method: .post,
            fields: [.accept: "application/json"],
            content: EndpointRequest.Content(mediaType: "application/json", bytes: metadata.sent.encoded())
        )
        request.fields[.authorization] = initialAccessToken.map { "Bearer " + $0.reveal() }
        return request
    }

    /// Reads the registered client.
    ///
    /// A response without `token_endpoint_auth_method` leaves the requested method in force, unless the server issued a
    /// secret to a client that asked for none, or none to a client that asked for one.
    ///
    /// - Throws: `refused` with the server's error, `malformed` when the response is neither 201 nor 200, or has no
    ///   client identifier.
    public func output(from response: EndpointResponse) throws(SignInError) -> ClientRegistration {
        guard response.status.kind == .successful else { throw response.failure(at: .registration) }
        // RFC 7591 section 3.2.1 requires 201; where a server returns 200, the client exists nevertheless.
        guard NamedCheck.holds("registration.status", response.status == .created || response.status == .ok) else {
            throw SignInError(.registration, .malformed("the status is neither 201 nor 200"))
        }
        return try ClientRegistration(
            try response.answer(expecting: ["client_id"], at: .registration),
            at: server.issuer,
            requested: metadata.authenticationMethod
        )
    }
}
