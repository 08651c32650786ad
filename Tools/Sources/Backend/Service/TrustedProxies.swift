import HTTPTypes
import Hummingbird
import HummingbirdCore
import OstiaryServer

/// Removes the fields that only a proxy may send from other clients' requests.
struct TrustedProxies: RouterMiddleware {
    typealias Context = BackendContext

    let ranges: [AddressRange]
    /// The fields that a proxy sends.
    let names: [HTTPField.Name]

    /// Makes the middleware for a configuration that names proxies; `nil` for any other.
    init?(_ configuration: BackendConfiguration) {
        guard let ranges = configuration.trustedProxies else { return nil }
        self.ranges = ranges
        let usual: [HTTPField.Name] = [.xForwardedFor, .xRequestID, .xForwardedMethod, .xForwardedURI]
        names = usual + (configuration.certificateField.map { [$0.name] } ?? [])
    }

    func handle(
        _ request: Request,
        context: BackendContext,
        next: @concurrent (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        guard !context.isSent(from: ranges) else { return try await next(request, context) }
        var head = request.head
        for name in names { head.headerFields[name] = nil }
        return try await next(Request(head: head, body: request.body), context)
    }
}

/// Serves trusted proxies alone, and answers others with 404, like a path that does not exist.
struct ProxiesOnly: RouterMiddleware {
    typealias Context = BackendContext

    let ranges: [AddressRange]

    func handle(
        _ request: Request,
        context: BackendContext,
        next: @concurrent (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        guard context.isSent(from: ranges) else { throw HTTPError(.notFound) }
        return try await next(request, context)
    }
}

extension BackendContext {
    /// Whether the peer of the connection is in one of the ranges.
    fileprivate func isSent(from ranges: [AddressRange]) -> Bool {
        remoteAddress.map { peer in ranges.contains { $0.contains(peer) } } ?? false
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there are names for them.
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-For`: the addresses of the client and of earlier proxies.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Request-Id`: the identifier of a request.
    static let xRequestID = HTTPField.Name("X-Request-Id")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Method`: the method of the request that a gateway asks about.
    static let xForwardedMethod = HTTPField.Name("X-Forwarded-Method")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Uri`: the path and query of the request that a gateway asks about.
    static let xForwardedURI = HTTPField.Name("X-Forwarded-Uri")!
}
