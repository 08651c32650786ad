/// Sends one HTTP request and returns its response.
///
/// What every transport promises, and `HTTPTransportCheck` of the testing kit checks: redirects are returned, not
/// followed; cookies and caches are off; the body limit and the whole-exchange deadline of the request hold; cancelling
/// the task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: The failure; nothing of a partial answer is kept.
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse
}
