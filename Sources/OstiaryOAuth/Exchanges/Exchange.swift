import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to a server and the reading of its one response, with no I/O.
public protocol Exchange<Output>: ~Copyable, Sendable {
    /// What the response is read into.
    associatedtype Output: Sendable
    /// The stage that its errors carry.
    var stage: SignInError.Stage { get }
    /// Builds the request.
    ///
    /// - Throws: `unsupported` when the server's metadata lacks the endpoint.
    func request() throws(SignInError) -> EndpointRequest
    /// Reads the response.
    ///
    /// - Throws: `refused`, `server`, `malformed` or `mismatch` at the exchange's stage.
    func output(from response: EndpointResponse) throws(SignInError) -> Output
}

extension HTTPTransport {
    /// Carries out an exchange: the only function that reaches the network.
    ///
    /// A URL that is neither https nor on a loopback host is refused before anything is sent; a redirect is refused
    /// when it comes; an answer over its limit is refused even if the transport let it through.
    ///
    /// - Parameter report: Called once, when the exchange has ended; it is told nothing secret.
    /// - Throws: What the exchange throws, and `transport` at its stage.
    public func perform<E: Exchange & ~Copyable>(
        _ exchange: borrowing E,
        reporting report: (@Sendable (ExchangeReport) -> Void)? = nil
    ) async throws(SignInError) -> E.Output {
        let stage = exchange.stage
        let request = try exchange.request()
        guard URIParts(request.url)?.isSecureOrLoopback == true else {
            throw SignInError(stage, .transport(.insecureURL))
        }
        let response: EndpointResponse
        do throws(TransportFailure) {
            response = try await send(request)
            guard response.body.count <= request.limits.maximumBodyBytes else { throw .tooLarge }
            // 304 answers a condition that the exchange itself has set; it leads nowhere else.
            guard response.status.kind != .redirection || response.status == .notModified else {
                throw .redirectRefused
            }
        } catch {
            report?(ExchangeReport(stage: stage, request: request, outcome: .failed(error)))
            throw SignInError(stage, error == .cancelled ? .cancelled : .transport(error))
        }
        report?(ExchangeReport(stage: stage, request: request, outcome: .answered(status: response.status.code)))
        return try exchange.output(from: response)
    }
}

/// What may be told of an exchange: no header, no body, no query.
public struct ExchangeReport: Sendable, Hashable {
    /// How an exchange ended.
    public enum Outcome: Sendable, Hashable {
        /// With a response of this status.
        case answered(status: Int)
        /// Without one.
        case failed(TransportFailure)
    }

    /// The stage that the exchange belongs to.
    public var stage: SignInError.Stage
    /// The method, such as `POST`.
    public var method: String
    /// The URL up to its query.
    public var endpoint: String
    /// How it ended.
    public var outcome: Outcome

    init(stage: SignInError.Stage, request: EndpointRequest, outcome: Outcome) {
        self.stage = stage
        self.method = request.method.rawValue
        self.endpoint = request.url.withoutQuery
        self.outcome = outcome
    }
}
