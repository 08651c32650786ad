import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds a user's issuer by the identifier that the user enters (OpenID Connect Discovery section 2, WebFinger: RFC
/// 7033).
///
/// The response only names an issuer and proves nothing; the sign-in at that issuer does.
public struct IssuerDiscoveryRequest: Exchange {
    /// The `acct:` or `https:` URI to look up.
    public let resource: String
    private let origin: String

    /// The relation that a link to an issuer has (OpenID Connect Discovery section 2).
    static let relation = "http://openid.net/specs/connect/1.0/issuer"

    /// Takes the user's input: `alice@example.com`, `acct:alice@example.com`, `https://example.com/alice` or
    /// `example.com`.
    ///
    /// - Throws: `configuration` at stage `discovery` for anything else; http is for loopback hosts only.
    public init(_ identifier: String) throws(SignInError) {
        guard let (resource, host) = Self.normalized(identifier), let parts = URIParts(host), parts.isSecureOrLoopback
        else {
            throw SignInError(
                .discovery,
                .configuration(
                    "An identifier is an address such as alice@example.com, or a URL such as https://example.com/alice."
                )
            )
        }
        self.resource = resource
        origin = host
    }

    /// Stage `discovery`.
    public var stage: SignInError.Stage { .discovery }

    /// The URL of the request (RFC 7033 section 4).
    public var url: URL? {
        let query = Parameters(["resource": resource, "rel": Self.relation])
        return URL(string: origin + "/.well-known/webfinger?" + FormURLEncoding.encode(query))
    }

    /// A GET of the host's document about the resource.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url else { throw SignInError(.discovery, .malformed("the identifier")) }
        return EndpointRequest(url: url, fields: [.accept: "application/jrd+json, application/json"])
    }

    /// Reads the issuer in the first link with the right relation.
    ///
    /// - Throws: `malformed` when there is no such link, or it is not an issuer's URL.
    public func output(from response: EndpointResponse) throws(SignInError) -> Issuer {
        guard response.status == .ok else { throw response.failure(at: .discovery) }
        let object = try response.jsonObject(at: .discovery)
        let links = object["links"]?.array?.compactMap(\.object) ?? []
        let link = links.first { $0["rel"] == .string(Self.relation) }
        guard let href = link?["href"]?.string, let issuer = try? Issuer(href) else {
            throw SignInError(.discovery, .malformed("the link to the issuer"))
        }
        return issuer
    }

    /// The URI of the resource, and the origin of its host (OpenID Connect Discovery section 2.1.2).
    private static func normalized(_ identifier: String) -> (resource: String, origin: String)? {
        let text = String(identifier.prefix { $0 != "#" })
        if text.utf8.starts(with: "acct:".utf8) { return account(text.dropFirst(5)) }
        if !text.contains("://") {
            if !text.contains(where: { "/?:".contains($0) }), text.contains("@") { return account(text[...]) }
            return normalized("https://" + text)
        }
        guard let parts = URIParts(text), let authority = parts.authority, !authority.host.isEmpty,
            authority.userInfo == nil
        else { return nil }
        let resource = parts.path.isEmpty && parts.query == nil ? text + "/" : text
        return (resource, "\(parts.scheme)://\(authority.host)" + (authority.port.map { ":" + $0 } ?? ""))
    }

    private static func account(_ text: Substring) -> (resource: String, origin: String)? {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return nil }
        let host = text[text.index(after: at)...]
        guard !host.isEmpty, URIParts("acct:" + text) != nil else { return nil }
        return ("acct:" + text, "https://" + host.lowercased())
    }
}
