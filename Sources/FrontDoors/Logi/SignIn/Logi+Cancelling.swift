import Ostiary

extension Logi {
    /// The sign-in that is under way; `nil` for none.
    public var currentFlow: LogiFlow? { flows.current }

    /// Ends one sign-in, which then throws `cancelled`.
    ///
    /// - Returns: Whether it was under way; a later one is never hit.
    @discardableResult
    public func cancel(_ flow: LogiFlow) -> Bool { flows.cancel(flow) }

    /// Ends a sign-in that the person has left in the provider's own app: call it when the app has come to the front.
    ///
    /// No platform tells of a person coming back without an answer. An answer that comes in these seconds ends the
    /// sign-in well, and a sign-in in a browser is never touched.
    ///
    /// - Parameter seconds: How long an answer may take to come in. Default 2.
    /// - Returns: Whether a sign-in was ended.
    @discardableResult
    public func cancelAbandonedHandoff(after seconds: Double = 2) async -> Bool {
        guard let flow = flows.current, flow.leg == .native, (try? await clock.sleep(seconds)) != nil,
            flows.current == flow
        else { return false }
        return flows.cancel(flow)
    }
}
