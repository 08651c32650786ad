public import HTTPTypes

/// One place of a backend, as a function from request to response: what a server framework mounts.
public protocol ServerEndpoint: Sendable {
    /// The method that it answers; the framework refuses others with 405.
    var method: HTTPRequest.Method { get }
    /// The largest body that it reads, in bytes.
    var maximumBodyBytes: Int { get }
    /// Answers a request.
    func respond(to request: ServerRequest) async -> ServerResponse
    /// Answers a request whose body has not been read.
    ///
    /// An endpoint that looks at credentials first, and reads the body of those alone whom it lets in, keeps nobody's megabytes.
    ///
    /// - Parameters:
    ///   - request: The request, without its body.
    ///   - read: Reads the body, within ``maximumBodyBytes`` and a time; for one call.
    func respond(
        to request: ServerRequest,
        readingBody read: @Sendable () async -> Result<[UInt8], RequestFault>
    ) async -> ServerResponse
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

    /// Reads the body, and answers the request or refuses its fault.
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

    /// The refusal of a fault, after which the connection ends: what is left of the body would be taken for the next request.
    public func refusalAndEnd(_ fault: RequestFault) -> ServerResponse {
        var answer = refusal(fault)
        answer.fields[.connection] = "close"
        answer.reason = answer.reason ?? RefusalReason("request_\(fault.rawValue)")
        return answer
    }

    /// The status alone, with the method that is answered where that was wrong.
    public func refusal(_ fault: RequestFault) -> ServerResponse {
        ServerResponse(
            status: fault.status,
            fields: fault == .method
                ? [.allow: method.rawValue, .cacheControl: "no-store"] : [.cacheControl: "no-store"]
        )
    }
}
