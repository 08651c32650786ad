/// Sends one HTTP request and returns its response.
///
/// `HTTPTransportCheck` of the testing kit checks every promise of a transport. Redirects are returned, not followed;
/// cookies and caches are off. The request's body limit and whole-exchange deadline hold. Cancelling the task ends the
/// exchange.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: The failure; a partial response is discarded.
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse
}
