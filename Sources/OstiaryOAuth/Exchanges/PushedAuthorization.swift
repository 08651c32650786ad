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

    init(_ draft: AuthorizationDraft) { self.draft = draft }

    /// Stage `authorization`.
    public var stage: SignInError.Stage { .authorization }

    /// A POST of the request's parameters, with the client's authentication (RFC 9126 section 2.1).
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = draft.server.pushedAuthorizationRequestEndpoint else {
            throw SignInError(.authorization, .unsupported("a pushed_authorization_request_endpoint"))
        }
        return try EndpointRequest(
            posting: draft.parameters,
            to: url,
            as: draft.client,
            at: draft.server,
            &fresh
        )
    }

    /// The request to open: the client and the reference, and nothing else (RFC 9126 section 4).
    ///
    /// - Throws: `malformed` when the answer is not 201 with a reference and the time that it is good for.
    public func output(from response: EndpointResponse) throws(SignInError) -> PendingAuthorization {
        guard response.status.kind == .successful else { throw response.failure(at: .authorization) }
        guard NamedCheck.holds("par.status", response.status == .created) else {
            throw SignInError(.authorization, .malformed("the status is not 201"))
        }
        let object = try response.jsonObject(at: .authorization)
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
