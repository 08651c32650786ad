public import HTTPTypes

/// An endpoint of a backend, as a function from request to response, which a server framework mounts.
public protocol ServerEndpoint: Sendable {
    /// The method that it accepts; the framework rejects others with 405.
    var method: HTTPRequest.Method { get }
    /// The largest body that it reads, in bytes.
    var maximumBodyBytes: Int { get }
    /// Responds to a request.
    func respond(to request: ServerRequest) async -> ServerResponse
    /// Responds to a request whose body has not been read.
    ///
    /// An endpoint that authenticates first, and reads the body of authenticated requests alone, does not buffer
    /// anonymous uploads.
    ///
    /// - Parameters:
    ///   - request: The request, without its body.
    ///   - read: Reads the body, within ``maximumBodyBytes`` and a time limit; call it once.
    /// - Returns: The response to send.
    func respond(
        to request: ServerRequest,
        readingBody read: @Sendable () async -> Result<[UInt8], RequestFault>
    ) async -> ServerResponse
    /// The response to a request that is rejected before it is read: it is too large, too slow, or uses another method.
    func refusal(_ fault: RequestFault) -> ServerResponse
}

/// The reason that a request is rejected before an endpoint gets it.
public enum RequestFault: String, Error, Sendable, Hashable, CaseIterable {
    /// The endpoint does not accept the method.
    case method
    /// The body is larger than the endpoint's limit.
    case tooLarge
    /// The body did not arrive in time.
    case tooSlow
    /// The body ended prematurely.
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

    /// Reads the body, and responds to the request or rejects its fault.
    public func respond(
        to request: ServerRequest,
        readingBody read: @Sendable () async -> Result<[UInt8], RequestFault>
    ) async -> ServerResponse {
        var request = request
        switch await read() {
        case .success(let body): request.body = body
        case .failure(let fault): return refusalAndEnd(fault)
        }
        return await respond(to: request)
    }

    /// The rejection of a fault, after which the connection closes: the rest of the body would be parsed as the next
    /// request.
    public func refusalAndEnd(_ fault: RequestFault) -> ServerResponse {
        var answer = refusal(fault)
        answer.fields[.connection] = "close"
        answer.reason = answer.reason ?? RefusalReason("request_\(fault.rawValue)")
        return answer
    }

    /// The status alone, with the accepted method for a wrong one.
    public func refusal(_ fault: RequestFault) -> ServerResponse {
        ServerResponse(
            status: fault.status,
            fields: fault == .method
                ? [.allow: method.rawValue, .cacheControl: "no-store"] : [.cacheControl: "no-store"]
        )
    }
}
