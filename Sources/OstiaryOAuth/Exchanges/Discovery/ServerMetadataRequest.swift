import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads an issuer's metadata document.
public struct ServerMetadataRequest: Exchange {
    /// The location of the document.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// `/.well-known/openid-configuration` appended to the issuer (OpenID Connect Discovery section 4.1).
        case openIDConnect
        /// `/.well-known/oauth-authorization-server` between host and path (RFC 8414 section 3.1).
        case oauth
    }

    let issuer: Issuer
    let form: Form

    /// Reads the document of one form.
    public init(_ issuer: Issuer, form: Form = .openIDConnect) {
        self.issuer = issuer
        self.form = form
    }

    /// Stage `discovery`.
    public var stage: SignInError.Stage { .discovery }

    /// The URL of the document; `nil` only when the issuer is a URL that cannot be extended.
    public var url: URL? {
        guard let parts = URIParts(issuer.description) else { return nil }
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        let origin = String(issuer.description.dropLast(parts.path.count))
        return switch form {
        case .openIDConnect: URL(string: origin + path + "/.well-known/openid-configuration")
        case .oauth: URL(string: origin + "/.well-known/oauth-authorization-server" + path)
        }
    }

    /// A GET of the document.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url else {
            throw SignInError(.discovery, .configuration("The issuer is not a URL that a path can be added to."))
        }
        return EndpointRequest(url: url, fields: [.accept: "application/json"])
    }

    /// Reads the metadata, and rejects that of another issuer.
    public func output(from response: EndpointResponse) throws(SignInError) -> AuthorizationServer {
        guard response.status == .ok else {
            throw SignInError(.discovery, .server(status: response.status.code), retryAfter: response.retryAfter)
        }
        return try AuthorizationServer(metadata: try response.jsonObject(at: .discovery), of: issuer)
    }
}
