import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads a resource server's metadata: its authorization servers and the methods for presenting tokens (RFC 9728).
public struct ResourceMetadataRequest: Exchange {
    let resource: ResourceIndicator
    let location: URL?

    /// Reads the metadata of a resource.
    ///
    /// - Parameters:
    ///   - resource: The URL that the app uses, exactly as it uses it.
    ///   - location: The URL in a challenge (``AuthenticateChallenge/resourceMetadata``); `nil` for the well-known URL.
    public init(_ resource: ResourceIndicator, at location: URL? = nil) {
        self.resource = resource
        self.location = location
    }

    /// Stage `discovery`.
    public var stage: SignInError.Stage { .discovery }

    /// The URL of the metadata: the well-known part goes between the host and the path (RFC 9728 section 3.1).
    public var url: URL? {
        if let location { return location }
        guard let parts = URIParts(resource.description), parts.authority != nil else { return nil }
        let query = parts.query.map { "?" + $0 } ?? ""
        let rest = parts.path + query
        let origin = String(resource.description.dropLast(rest.count))
        let path = parts.path == "/" ? "" : parts.path
        return URL(string: origin + "/.well-known/oauth-protected-resource" + path + query)
    }

    /// A GET of the document.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url else {
            throw SignInError(.discovery, .configuration("The resource is not a URL that a path can be added to."))
        }
        return EndpointRequest(url: url, fields: [.accept: "application/json"])
    }

    /// Reads the metadata, and rejects that of another resource (RFC 9728 section 3.3).
    ///
    /// - Throws: `mismatch(.resource)` for another resource's metadata: it could send the user, and the app's tokens,
    ///   to an attacker's server.
    public func output(from response: EndpointResponse) throws(SignInError) -> ResourceMetadata {
        guard response.status == .ok else { throw response.failure(at: .discovery) }
        let object = try response.jsonObject(at: .discovery)
        let isNamed = object["resource"] == .string(resource.description)
        guard NamedCheck.holds("resource_metadata.resource", isNamed) else {
            throw SignInError(.discovery, .mismatch(.resource))
        }
        return try ResourceMetadata(object, of: resource)
    }
}
