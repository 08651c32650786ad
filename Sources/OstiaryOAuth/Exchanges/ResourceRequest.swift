import HTTPTypes

/// One request to a resource server, with its access token (RFC 6750 section 2.1, RFC 9449 section 7.1).
///
/// Every response is returned, including redirects and errors; redirects are not followed.
package struct ResourceRequest: Exchange {
    private let endpointRequest: EndpointRequest
    private let token: Secret?
    private let dpopKey: DPoPKey?

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - request: The request, without the token and its proof.
    ///   - token: Presented in the `Authorization` field; `nil` sends the request without one.
    ///   - dpopKey: The key that the token is bound to; `nil` for a bearer token.
    package init(_ request: EndpointRequest, showing token: Secret?, boundTo dpopKey: DPoPKey?) {
        endpointRequest = request
        self.token = token
        self.dpopKey = dpopKey
    }

    /// Stage `resource`.
    package var stage: SignInError.Stage { .resource }
    /// `true`: a redirect is a response.
    package var readsRedirects: Bool { true }

    /// The request, with this token and no other credential.
    package func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var request = endpointRequest
        request.fields[.authorization] = nil
        request.fields[.dpop] = nil
        if let token { try request.present(token, boundTo: dpopKey, &fresh) }
        return request
    }

    /// Returns the response unchanged.
    package func output(from response: EndpointResponse) throws(SignInError) -> EndpointResponse { response }
}
