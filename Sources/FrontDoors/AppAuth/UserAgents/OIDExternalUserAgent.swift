public import Foundation

/// A request that a user agent presents.
public protocol OIDExternalUserAgentRequest: Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The URL to open.
    func externalUserAgentRequestURL() -> URL!
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The scheme of the redirect URI.
    func redirectScheme() -> String!
}

/// A user agent, such as the system's sheet or a browser outside of the app.
public protocol OIDExternalUserAgent: AnyObject, Sendable {
    /// Presents a request.
    ///
    /// The user agent hands the redirect to the session, or the error that ended it.
    ///
    /// - Returns: Whether it presents the page; `false` ends the flow with ``OIDErrorCode/safariOpenError`` on iOS and
    ///   ``OIDErrorCode/browserOpenError`` elsewhere.
    @MainActor
    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool

    /// Takes the page away, and calls the completion when it is gone.
    @MainActor
    func dismiss(animated: Bool, completion: @escaping () -> Void)
}

/// A flow in a user agent, which waits for one redirect.
public protocol OIDExternalUserAgentSession: AnyObject, Sendable {
    /// Cancels the flow: its callback gets ``OIDErrorCode/userCanceledAuthorizationFlow``.
    func cancel()

    /// Cancels the flow, and calls the completion on the main actor when its page is gone.
    func cancel(completion: (@MainActor @Sendable () -> Void)?)

    /// Takes a URL that the app was opened with.
    ///
    /// - Returns: Whether it goes to this flow's redirect URI; the flow has ended then. Where the value is not used,
    ///   Swift calls the function that throws.
    @_disfavoredOverload
    @discardableResult
    func resumeExternalUserAgentFlow(with url: URL) -> Bool

    /// Ends the flow with an error.
    func failExternalUserAgentFlowWithError(_ error: any Error)
}

extension OIDExternalUserAgentSession {
    /// Cancels the flow, and calls the completion.
    public func cancel(completion: (@MainActor @Sendable () -> Void)?) {
        cancel()
        if let completion { onMain(completion) }
    }

    /// Takes a URL that the app was opened with.
    ///
    /// - Throws: ``OIDErrorCode/urlMismatch`` when it is not for this flow's redirect URI, which leaves the flow
    ///   waiting; ``OIDErrorCode/invalidAuthorizationFlow`` when the flow has ended.
    public func resumeExternalUserAgentFlow(with url: URL) throws {
        if let flow = self as? any ResumableFlow { return try flow.resume(with: url) }
        let isTaken: Bool = resumeExternalUserAgentFlow(with: url)
        guard isTaken else {
            throw OIDErrorUtilities.error(
                with: .urlMismatch,
                underlyingError: nil,
                description: "The URL is not for this flow's redirect URI."
            )
        }
    }
}

/// A flow that tells why it did not take a URL.
protocol ResumableFlow: OIDExternalUserAgentSession {
    func resume(with url: URL) throws
}
