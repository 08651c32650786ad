import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads or replaces a client's registration (RFC 7592 sections 2.1 and 2.2).
///
/// The response may bring a new secret and a new registration access token, and invalidate the old ones. Store it
/// before anything else.
public struct ClientConfigurationRequest: Exchange {
    /// The operation on the registration.
    public enum Act: Sendable, Hashable {
        /// Reads the registration without changing it.
        case read
        /// Replaces the metadata as a whole: a member that is left out is deleted.
        case update(ClientMetadata)
    }

    let act: Act
    let registration: ClientRegistration

    /// Acts on a registration.
    public init(_ act: Act, of registration: ClientRegistration) {
        self.act = act
        self.registration = registration
    }

    /// Stage `registration`.
    public var stage: SignInError.Stage { .registration }

    /// A GET, or a PUT of the metadata with the client's identifier.
    ///
    /// The secret is left out, which RFC 7592 section 2.2 allows: some servers take it for a wish for another one.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var request = try EndpointRequest(managing: registration)
        if case .update(let metadata) = act {
            var members = metadata.sent
            for name in ClientMetadata.issued { members[name] = nil }
            members["client_id"] = .string(registration.clientID)
            request.method = .put
            request.content = EndpointRequest.Content(mediaType: "application/json", bytes: members.encoded())
        }
        return request
    }

    /// Reads the current registration.
    ///
    /// - Throws: `refused`, `server` or `malformed`; `mismatch` when the registration is another client's.
    public func output(from response: EndpointResponse) throws(SignInError) -> ClientRegistration {
        guard response.status == .ok else { throw response.failure(at: .registration) }
        return try ClientRegistration(
            try response.jsonObject(at: .registration),
            at: registration.issuer,
            previous: registration
        )
    }
}

extension ClientConfigurationRequest {
    /// Deletes a client's registration (RFC 7592 section 2.3).
    public struct Delete: Exchange {
        let registration: ClientRegistration

        /// Deletes a registration.
        public init(_ registration: ClientRegistration) { self.registration = registration }

        /// Stage `registration`.
        public var stage: SignInError.Stage { .registration }

        /// A DELETE.
        public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
            var request = try EndpointRequest(managing: registration)
            request.method = .delete
            return request
        }

        /// Any success is a success.
        public func output(from response: EndpointResponse) throws(SignInError) {
            guard response.status.kind == .successful else { throw response.failure(at: .registration) }
        }
    }
}

extension EndpointRequest {
    fileprivate init(managing registration: ClientRegistration) throws(SignInError) {
        guard let management = registration.management else {
            throw SignInError(.registration, .unsupported("the management of registrations"))
        }
        self.init(
            url: management.url,
            fields: [.accept: "application/json", .authorization: "Bearer " + management.token.reveal()]
        )
        // The first request may have replaced the token.
        mayBeRepeated = false
    }
}
