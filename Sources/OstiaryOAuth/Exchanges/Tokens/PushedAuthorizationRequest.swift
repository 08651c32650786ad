import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pushes an authorization request to the server, so that its parameters do not pass through the browser (RFC 9126).
///
/// The response is a reference that can be used once; a repeated sign-in pushes its request again.
public struct PushedAuthorizationRequest: Exchange {
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
        // A nonce in the response is for the proof of the token request (RFC 9449 section 8.2).
        if draft.dpopKey != nil { request.serverRole = .authorizationServer }
        return request
    }

    /// Reads the request to open: the client and the reference, and nothing else (RFC 9126 section 4).
    ///
    /// If pushing is optional and the endpoint is unavailable to this client, the request to open has its parameters in
    /// the URL. The endpoint is unavailable when it returns 404, 405, or 500 and above, or when it rejects a public
    /// client.
    ///
    /// - Throws: `refused` or `server` when the server rejects the request, or pushing is required; `malformed` when
    ///   the response is not 201 or 200 with a reference and its lifetime.
    public func output(from response: EndpointResponse) throws(SignInError) -> PendingAuthorization {
        if !isRequired, isUnavailable(by: response) {
            return try PendingAuthorization(draft, opening: draft.parameters)
        }
        guard response.status.kind == .successful else { throw response.failure(at: .authorization) }
        guard NamedCheck.holds("par.status", [.created, .ok].contains(response.status)) else {
            throw SignInError(.authorization, .malformed("the status is \(response.status.code), not 201"))
        }
        let object = try response.answer(expecting: ["request_uri"], at: .authorization)
        guard let reference = object["request_uri"]?.string, !reference.isEmpty, reference.utf8.count <= 2048 else {
            throw SignInError(.authorization, .malformed("the response's request_uri"))
        }
        guard NamedCheck.holds("par.expires_in", object.seconds("expires_in").map { $0 > 0 } ?? false) else {
            throw SignInError(.authorization, .malformed("the response's expires_in"))
        }
        return try PendingAuthorization(
            draft,
            opening: Parameters([.clientID: draft.client.id, .requestURI: reference])
        )
    }

    /// Whether the endpoint rejects every request of this client, whatever its parameters.
    ///
    /// A pushed authorization request endpoint accepts POST (RFC 9126 section 2.3), so a 405 to a POST means that the
    /// path is another endpoint's. Some servers authenticate only confidential clients there, though RFC 9126 section 2
    /// lets public ones push.
    private func isUnavailable(by response: EndpointResponse) -> Bool {
        if [.notFound, .methodNotAllowed].contains(response.status) || response.status.kind == .serverError {
            return true
        }
        guard draft.client.authentication.method == ClientAuthentication.none.method,
            response.status.kind == .clientError
        else { return false }
        return [.unauthorized, .forbidden].contains(response.status)
            || !response.errorCodes.isDisjoint(with: [.invalidClient, .unauthorizedClient])
    }
}

extension PushedAuthorizationRequest: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; nothing of the one-time values.
    public var description: String { "PushedAuthorizationRequest(\(draft.server.issuer), \(draft.client.id))" }
    /// The issuer and the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": draft.server.issuer.description, "client": draft.client.id])
    }
}
