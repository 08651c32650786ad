public import OstiaryOAuth

extension SignInClient {
    /// Signs a person in who uses another device: this one shows a code and waits (RFC 8628).
    ///
    /// Nothing is opened here: the person goes to the page on a device of their own. The session replaces one that was
    /// stored before, once every check has passed.
    ///
    /// - Parameters:
    ///   - scopes: What is asked for.
    ///   - resources: Resource servers that tokens will be asked for (RFC 8707).
    ///   - show: Shows the code and the page; called once.
    /// - Throws: At stage `device`: `refused` when the person said no or the code got too old, `unsupported` when the
    ///   server has no such endpoint. A refusal ends the flow; what may pass does not.
    public func signInOnOtherDevice(
        scopes: [Scope] = [.openID, .profile, .offlineAccess],
        resources: [ResourceIndicator] = [],
        show: @Sendable (PendingDeviceAuthorization) async -> Void
    ) async throws(SignInError) -> Session {
        let server = try await directory.completeServer()
        noteClock()
        let authorization = try DeviceAuthorization(
            scopes: scopes,
            resources: resources,
            client: client,
            server: server
        )
        let pending = try await transport.perform(authorization, in: context)
        var polling = DevicePolling(pending, now: context.clock.now)
        await show(pending)
        var pause = polling.interval
        while true {
            do {
                try await device.sleep(pause)
            } catch {
                throw SignInError(.device, .cancelled)
            }
            let tokens: TokenSet
            do throws(SignInError) {
                tokens = try await redeem(pending.exchange())
            } catch {
                guard error.stage == .device else { throw error }
                switch polling.step(after: error, now: context.clock.now) {
                case .wait(let seconds): pause = seconds
                case .stop(let error): throw error
                }
                continue
            }
            return try await begin(tokens)
        }
    }
}
