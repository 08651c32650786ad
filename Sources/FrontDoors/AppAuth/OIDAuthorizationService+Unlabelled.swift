/// The calls with their callback as the last argument without a label, as Curity's document writes them.
///
/// A closure behind the parentheses calls the forms with a label, which are the same.
extension OIDAuthorizationService {
    /// Sends a token request.
    @_disfavoredOverload
    public static func perform(_ request: OIDTokenRequest, _ callback: @escaping OIDTokenCallback) {
        perform(request, callback: callback)
    }

    /// Registers a client.
    @_disfavoredOverload
    public static func perform(_ request: OIDRegistrationRequest, _ completion: @escaping OIDRegistrationCompletion) {
        perform(request, completion: completion)
    }

    /// Presents an authorization request.
    @_disfavoredOverload
    @discardableResult
    public static func present(
        _ request: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        _ callback: @escaping OIDAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        present(request, externalUserAgent: externalUserAgent, callback: callback)
    }

    /// Presents an end-session request.
    @_disfavoredOverload
    @discardableResult
    public static func present(
        _ request: OIDEndSessionRequest,
        externalUserAgent: any OIDExternalUserAgent,
        _ callback: @escaping OIDEndSessionCallback
    ) -> any OIDExternalUserAgentSession {
        present(request, externalUserAgent: externalUserAgent, callback: callback)
    }
}
