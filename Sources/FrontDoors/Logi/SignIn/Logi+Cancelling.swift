import Ostiary

extension Logi {
    /// The sign-in that is in progress; `nil` for none.
    public var currentFlow: LogiFlow? { flows.current }

    /// Ends one sign-in, which then throws `cancelled`.
    ///
    /// - Returns: Whether it was in progress; a later one is not affected.
    @discardableResult
    public func cancel(_ flow: LogiFlow) -> Bool { flows.cancel(flow) }

    /// Ends a sign-in that the user has left in the provider's own app: call it when the app has come to the front.
    ///
    /// No platform reports that the user comes back without a response. A response within this time completes the
    /// sign-in, and a sign-in in a browser is never ended.
    ///
    /// - Parameter grace: The time for a response to arrive. Default: two seconds.
    /// - Returns: Whether a sign-in was ended.
    @discardableResult
    public func cancelAbandonedHandoff(after grace: Duration = .seconds(2)) async -> Bool {
        guard let flow = flows.current, flow.leg == .native, (try? await clock.sleep(grace)) != nil,
            flows.current == flow
        else { return false }
        return flows.cancel(flow)
    }
}
