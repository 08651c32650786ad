import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pushes an authorization request to the server, so that nothing of it passes through the browser (RFC 9126).
///
/// What comes back is a reference that is good once; a flow that is tried again is pushed again.
public struct PushedAuthorization: Exchange {
    let draft: AuthorizationDraft
    /// Whether the request may not go through the browser instead.
    private let isRequired: Bool

    init(_ draft: AuthorizationDraft, isRequired: Bool) {
        self.draft = draft
        self.isRequired = isRequired
    }

    /// Stage `authorization`.
    public var stage: SignInError.Stage { .authorization }

    /// A POST of the request's parameters, with the client's authentication (RFC 9126 section 2.1).
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = draft.server.pushedAuthorizationRequestEndpoint else {
            throw SignInError(.authorization, .unsupported("a pushed_authorization_request_endpoint"))
        }
        var request = try EndpointRequest(
            posting: draft.parameters,
            to: url,
            as: draft.client,
            at: draft.server,
            &fresh
        )
        // A nonce in the answer is for the proof of the token request (RFC 9449 section 8.2).
        if draft.dpopKey != nil { request.serverRole = .authorizationServer }
        return request
    }

    /// The request to open: the client and the reference, and nothing else (RFC 9126 section 4).
    ///
    /// The request to open is the same one with its parameters in the URL, when pushing is not required and the endpoint
    /// answers 404 or a status from 500 on.
    ///
    /// - Throws: `refused` or `server` when the server refuses the request, or pushing is required; `malformed` when the answer is not 201 with a reference and the time that it is good for.
    public func output(from response: EndpointResponse) throws(SignInError) -> PendingAuthorization {
        let isMissing = response.status == .notFound || response.status.kind == .serverError
        if !isRequired, isMissing { return try PendingAuthorization(draft, opening: draft.parameters) }
        guard response.status.kind == .successful else { throw response.failure(at: .authorization) }
        guard NamedCheck.holds("par.status", response.status == .created) else {
            throw SignInError(.authorization, .malformed("the status is not 201"))
        }
        let object = try response.answer(expecting: ["request_uri"], at: .authorization)
        guard let reference = object["request_uri"]?.string, !reference.isEmpty, reference.utf8.count <= 2048 else {
            throw SignInError(.authorization, .malformed("the answer's request_uri"))
        }
        guard NamedCheck.holds("par.expires_in", object["expires_in"]?.number.map { $0 > 0 } ?? false) else {
            throw SignInError(.authorization, .malformed("the answer's expires_in"))
        }
        return try PendingAuthorization(
            draft,
            opening: Parameters([.clientID: draft.client.id, .requestURI: reference])
        )
    }
}

extension PushedAuthorization: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; nothing of the one-time values.
    public var description: String { "PushedAuthorization(\(draft.server.issuer), \(draft.client.id))" }
    /// The issuer and the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": draft.server.issuer.description, "client": draft.client.id])
    }
}
