import HTTPTypes
public import OstiaryOAuth

extension Session {
    /// Sends a request to a resource server with an access token: a bearer token, or one bound to the session's key
    /// with its proof.
    ///
    /// The token is presented only to the origins of ``SessionPolicy/resourceOrigins`` and that of the resource. At
    /// most five redirects are followed: within the origin with the token, to another origin without it, without
    /// cookies and never with a body. A redirect from https to http, or from another host to this machine, is rejected.
    /// When the server returns 401, the token is refreshed and the rejected request is sent once more, without the
    /// redirects before it. Requests that are rejected together share one refresh.
    ///
    /// - Parameters:
    ///   - request: The request; its limits hold for each response. An `Authorization` field of its own is replaced.
    ///   - resource: The resource server that the token is for (RFC 8707); `nil` for the token of the sign-in itself.
    /// - Returns: The server's response, whatever its status: a 401 when a refreshed token was rejected as well.
    /// - Throws: `configuration` at stage `resource` for an origin that is not allowed, and nothing is sent;
    ///   `stepUpRequired` when the server requires another or newer authentication; `transport`; `redirectRefused`; the
    ///   errors of a refresh. The session is kept.
    public func data(
        for request: EndpointRequest,
        resource: ResourceIndicator? = nil
    ) async throws(SignInError) -> EndpointResponse {
        guard let origin = Origin(request.url) else { throw SignInError(.resource, .transport(.insecureURL)) }
        guard client.policy.resourceOrigins.contains(origin) || resource.flatMap({ Origin($0) }) == origin else {
            throw SignInError(
                .resource,
                .configuration("No token goes to \(origin): allow it in the policy's resourceOrigins, if it is yours.")
            )
        }
        let target = AccessTokenTarget(resource)
        // The resource server's last nonce.
        await client.directory.learned?.restore()
        let token = try await accessToken(for: target)
        let first = try await follow(request, from: origin, showing: token, for: target)
        await client.directory.learned?.save()
        guard first.response.status == .unauthorized, first.sawToken, Self.mayBeRenewedFor(first.response),
            let renewed = try await renewed(token, for: target)
        else { return try Self.checked(first) }
        // The redirects before it have succeeded, and must not be repeated.
        return try Self.checked(try await follow(first.request, from: origin, showing: renewed, for: target))
    }

    /// The token that takes the place of one that was refused; `nil` when there will be none.
    func renewed(_ refused: Secret, for target: AccessTokenTarget) async throws(SignInError) -> Secret? {
        let known = coordinator.tokens.access(for: target)?.value
        if let known, known != refused { return known }
        guard isRefreshable, coordinator.forcedRefreshes.mayRenew(refused, for: target) else { return nil }
        let token = try await accessToken(for: target, insteadOf: refused)
        coordinator.forcedRefreshes.note(token, for: target)
        return token
    }

    /// A response, the last request, and whether its server received the token.
    private struct Answer {
        let response: EndpointResponse
        let request: EndpointRequest
        let sawToken: Bool
    }

    private func follow(
        _ request: EndpointRequest,
        from origin: Origin,
        showing token: Secret,
        for target: AccessTokenTarget
    ) async throws(SignInError) -> Answer {
        var request = request
        var sawToken = true
        for _ in 0...RedirectedRequest.maximumCount {
            let response = try await client.transport.perform(
                ResourceRequest(request, showing: sawToken ? token : nil, boundTo: coordinator.tokens.dpopKey),
                in: client.resourceContext
            )
            if sawToken, response.status != .unauthorized {
                coordinator.forcedRefreshes.forget(token, for: target)
            }
            guard let next = try RedirectedRequest(response, to: request) else {
                return Answer(response: response, request: request, sawToken: sawToken)
            }
            // Once it has left the origin, it does not get the token back: the other server chose where it goes now.
            sawToken = sawToken && Origin(next.request.url) == origin
            request = next.request
        }
        throw SignInError(.resource, .transport(.redirectRefused))
    }

    /// Whether a new token could change the response: not if the server requires another proof or authentication.
    private static func mayBeRenewedFor(_ response: EndpointResponse) -> Bool {
        guard AuthenticateChallenge.StepUp(response) == nil else { return false }
        let codes = AuthenticateChallenge.list(in: response.fields).compactMap { $0.error?.code }
        return !codes.contains(.useDPoPNonce) && !codes.contains(.invalidDPoPProof)
    }

    private static func checked(_ answer: Answer) throws(SignInError) -> EndpointResponse {
        if answer.sawToken, let challenge = AuthenticateChallenge.StepUp(answer.response) {
            throw SignInError(.resource, .stepUpRequired(challenge))
        }
        return answer.response
    }
}
