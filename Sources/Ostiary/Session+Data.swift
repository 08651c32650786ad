import HTTPTypes
public import OstiaryOAuth

extension Session {
    /// Asks a resource server for something, with the access token that it needs: a bearer token, or one bound to the
    /// session's key with its proof.
    ///
    /// The token goes to origins that are allowed and to nobody else: those of ``SessionPolicy/resourceOrigins``, and that
    /// of the resource. Redirects are followed, at most five of them: within the origin with the token; to another origin
    /// without it and without cookies, and never with a body, from https to http, or to this machine. When the server
    /// answers 401, the token is renewed and what was refused is sent once more, not what had led there; of requests that are
    /// refused together, one renews.
    ///
    /// - Parameters:
    ///   - request: What to ask for; its limits hold for each response. An `Authorization` field of its own is replaced.
    ///   - resource: The resource server that the token is for (RFC 8707); `nil` for the token of the sign-in itself.
    /// - Returns: The server's answer, whatever its status: a 401 when a renewed token was refused, too.
    /// - Throws: `configuration` at stage `resource` for an origin that is not allowed, and nothing is sent;
    ///   `stepUpRequired` with what the server wants of the person; `transport`, `redirectRefused` among them; what a refresh
    ///   throws. The session is kept.
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
        // What led there has succeeded, and may not happen twice.
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

    /// A response, what was asked for last, and whether the server that gave it was shown the token.
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

    /// Whether a new token could change the answer: another proof, or another person, it is not.
    private static func mayBeRenewedFor(_ response: EndpointResponse) -> Bool {
        guard StepUpChallenge(response) == nil else { return false }
        let codes = AuthenticateChallenge.list(in: response.fields).compactMap { $0.error?.code }
        return !codes.contains(.useDPoPNonce) && !codes.contains(.invalidDPoPProof)
    }

    private static func checked(_ answer: Answer) throws(SignInError) -> EndpointResponse {
        if answer.sawToken, let challenge = StepUpChallenge(answer.response) {
            throw SignInError(.resource, .stepUpRequired(challenge))
        }
        return answer.response
    }
}
