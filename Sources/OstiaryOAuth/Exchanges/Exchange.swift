import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to a server and the reading of its one response, with no I/O.
public protocol Exchange<Output>: ~Copyable, Sendable {
    /// The type of the parsed response.
    associatedtype Output: Sendable
    /// The stage that its errors carry.
    var stage: SignInError.Stage { get }
    /// Whether ``output(from:)`` reads a redirect as a response, not as a failure; a redirect is never followed.
    ///
    /// Default `false`.
    var readsRedirects: Bool { get }
    /// Builds the request; it is called again with new values when the request must be sent again.
    ///
    /// - Parameter fresh: The values that must not be used twice.
    /// - Returns: The request to send.
    /// - Throws: `unsupported` when the server's metadata lacks the endpoint.
    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest
    /// Reads the response.
    ///
    /// - Throws: `refused`, `server`, `malformed` or `mismatch` at the exchange's stage.
    func output(from response: EndpointResponse) throws(SignInError) -> Output
}

extension Exchange where Self: ~Copyable {
    /// `false`: following a redirect would send the request's values to another server.
    public var readsRedirects: Bool { false }
}

/// A summary of an exchange without secrets: no header, no body, no query.
public struct RequestEvent: Sendable, Hashable {
    /// The outcome of an exchange.
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
    /// The outcome.
    public var outcome: Outcome

    init(stage: SignInError.Stage, request: EndpointRequest, outcome: Outcome) {
        self.stage = stage
        self.method = request.method.rawValue
        self.endpoint = request.url.withoutQuery
        self.outcome = outcome
    }
}
