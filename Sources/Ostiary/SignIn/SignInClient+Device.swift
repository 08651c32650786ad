public import OstiaryOAuth

extension SignInClient {
    /// Signs in a user who uses another device: this one displays a code and waits (RFC 8628).
    ///
    /// Nothing is opened here: the user opens the page on another device. The session replaces an earlier one, once
    /// every check has passed.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes. Default: `AuthorizationRequest.defaultScopes`, as far as the server lists
    ///     them.
    ///   - resources: The resource servers that tokens will be requested for (RFC 8707).
    ///   - show: Displays the code and the page; called once.
    /// - Returns: The session, already stored.
    /// - Throws: At stage `device`: `refused` when the user denied the request or the code has expired, `unsupported`
    ///   when the server has no such endpoint. A refusal ends the flow; a temporary failure does not.
    public func signInOnOtherDevice(
        scopes: [Scope]? = nil,
        resources: [ResourceIndicator] = [],
        show: @Sendable (PendingDeviceAuthorization) async -> Void
    ) async throws(SignInError) -> Session {
        let form = ServerMetadataRequest.Form(for: scopes ?? AuthorizationRequest.defaultScopes)
        let server = try await directory.server(with: .deviceAuthorization, form)
        noteClock()
        try client.checkRedemption(of: scopes ?? AuthorizationRequest.defaultScopes, at: server, .device)
        var random = random()
        let authorization = try DeviceAuthorizationRequest(
            scopes: scopes,
            resources: resources,
            client: client,
            server: server,
            using: &random
        )
        if !authorization.verdict.entries.isEmpty { events(.checked(authorization.verdict)) }
        let requested = authorization.scopes
        let pending = try await pending(authorization)
        var polling = PendingDeviceAuthorization.Polling(pending, now: context.clock.now)
        await show(pending)
        // Now, while the user is at the other device, and not once the code is redeemed.
        Task { await retryRevocations() }
        var pause = polling.interval
        while true {
            do {
                try await device.sleep(pause)
            } catch {
                throw SignInError(.device, .cancelled)
            }
            do throws(SignInError) {
                // The server may issue tokens to a poll that has left, once.
                return try await carryThrough { () async throws(SignInError) -> Session in
                    await owner.revocations.hold()
                    defer { owner.revocations.release() }
                    let session = try await begin(try await accepted(try await answer(to: pending.exchange())))
                    report(session, requested: requested)
                    await directory.learned?.save()
                    return session
                }
            } catch {
                guard error.stage == .device else { throw error }
                switch polling.step(after: error, now: context.clock.now) {
                case .wait(let time): pause = time
                case .stop(let error): throw error
                }
            }
        }
    }

    /// Requests the codes; once more without a proof key, from a server that rejects one as `invalid_request`.
    private func pending(
        _ authorization: DeviceAuthorizationRequest
    ) async throws(SignInError) -> PendingDeviceAuthorization {
        do throws(SignInError) {
            return try await transport.perform(authorization, in: context)
        } catch {
            guard case .refused(let refusal) = error.reason, refusal.code == .invalidRequest else { throw error }
            return try await transport.perform(authorization.withoutProofKey, in: context)
        }
    }
}
