import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Registers a client (RFC 7591 section 3.1).
public struct Registration: Exchange {
    let metadata: ClientMetadata
    let initialAccessToken: Secret?
    let server: AuthorizationServer

    /// Registers a client as its metadata says.
    ///
    /// - Parameter initialAccessToken: What a server asks for that does not register everybody.
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

    /// The registered client.
    ///
    /// - Throws: `refused` with the server's error, `malformed` when the answer is neither 201 nor 200, or has no client
    ///   identifier.
    public func output(from response: EndpointResponse) throws(SignInError) -> ClientRegistration {
        guard response.status.kind == .successful else { throw response.failure(at: .registration) }
        // RFC 7591 section 3.2.1 says 201; where a server answers 200, the client exists all the same.
        guard NamedCheck.holds("registration.status", response.status == .created || response.status == .ok) else {
            throw SignInError(.registration, .malformed("the status is neither 201 nor 200"))
        }
        return try ClientRegistration(
            try response.answer(expecting: ["client_id"], at: .registration),
            at: server.issuer
        )
    }
}
