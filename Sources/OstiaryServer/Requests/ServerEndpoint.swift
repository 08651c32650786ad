public import HTTPTypes

/// One place of a backend, as a function from request to response: what a server framework mounts.
public protocol ServerEndpoint: Sendable {
    /// The method that it answers; the framework refuses others with 405.
    var method: HTTPRequest.Method { get }
    /// The largest body that it reads, in bytes.
    var maximumBodyBytes: Int { get }
    /// Answers a request.
    func respond(to request: ServerRequest) async -> ServerResponse
    /// What it answers to a request that is refused before it is read: one that is too large, too slow, or by another method.
    func refusal(_ fault: RequestFault) -> ServerResponse
}

/// Why a request is refused before an endpoint sees it.
public enum RequestFault: String, Error, Sendable, Hashable, CaseIterable {
    /// It is by a method that the endpoint does not answer.
    case method
    /// Its body is larger than the endpoint reads.
    case tooLarge
    /// Its body did not come in time.
    case tooSlow
    /// Its body broke off.
    case brokenOff

    /// 405, 413, 408 or 400. (RFC 9110 section 15.5)
    public var status: HTTPResponse.Status {
        switch self {
        case .method: .methodNotAllowed
        case .tooLarge: .contentTooLarge
        case .tooSlow: .requestTimeout
        case .brokenOff: .badRequest
        }
    }
}

extension ServerEndpoint {
    /// POST.
    public var method: HTTPRequest.Method { .post }
    /// 16 KiB.
    public var maximumBodyBytes: Int { 16_384 }

    /// The status alone, with the method that is answered where that was wrong.
    public func refusal(_ fault: RequestFault) -> ServerResponse {
        ServerResponse(
            status: fault.status,
            fields: fault == .method
                ? [.allow: method.rawValue, .cacheControl: "no-store"] : [.cacheControl: "no-store"]
        )
    }
}
