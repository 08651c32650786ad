import HTTPTypes
import Hummingbird
import HummingbirdCore
import OstiaryServer

/// Takes away what only a proxy may say from requests that do not come from one.
struct TrustedProxies: RouterMiddleware {
    typealias Context = BackendContext

    let ranges: [AddressRange]
    /// The fields that a proxy writes.
    let names: [HTTPField.Name]

    /// For a configuration that names proxies; `nil` for one that does not.
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

/// Answers a proxy's requests alone, and others with 404, as a path that is not there.
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
    /// Whether the connection is from one of the addresses.
    fileprivate func isSent(from ranges: [AddressRange]) -> Bool {
        remoteAddress.map { peer in ranges.contains { $0.contains(peer) } } ?? false
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there are names for them.
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-For`: whom proxies have sent a request for.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Request-Id`: the number of a request.
    static let xRequestID = HTTPField.Name("X-Request-Id")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Method`: the method of the request that a gateway asks about.
    static let xForwardedMethod = HTTPField.Name("X-Forwarded-Method")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Uri`: the path and query of the request that a gateway asks about.
    static let xForwardedURI = HTTPField.Name("X-Forwarded-Uri")!
}
