public import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth

/// Gets tokens that are valid now, or an error.
public typealias OIDAuthStateAction = @MainActor @Sendable (String?, String?, (any Error)?) -> Void
/// Gets the state of a sign-in, or an error.
public typealias OIDAuthStateAuthorizationCallback = @MainActor @Sendable (OIDAuthState?, (any Error)?) -> Void

/// The tokens of one user, refreshed when they are needed.
///
/// Without a store, all calls of one object share one refresh; two objects that were read from one archive do not know
/// of each other. A state that is bound to a store (``bind(to:)``) shares its refreshes with every object and process
/// that binds to the same store, and finds the tokens that another one has refreshed.
public final class OIDAuthState: NSObject, NSSecureCoding, Sendable {
    let content: Lock<Content>

    /// The changing part.
    struct Content: Sendable {
        weak var stateChangeDelegate: (any OIDAuthStateChangeDelegate)?
        weak var errorDelegate: (any OIDAuthStateErrorDelegate)?
        var authorizationResponse: OIDAuthorizationResponse?
        var tokenResponse: OIDTokenResponse?
        var registrationResponse: OIDRegistrationResponse?
        var refreshToken: Secret?
        var scope: String?
        /// The newest ID token: a refresh may bring none.
        var idToken: Secret?
        var authorizationError: NSError?
        var needsTokenRefresh = false
        /// Names this sign-in in a store; made of its first refresh token.
        var signIn: String?
        var store: (any SecretStore)?
        var line: RefreshLine?
        /// The callers that wait for the refresh under way; `nil` when none is.
        var waiting: [@Sendable (String?, String?, (any Error)?) -> Void]?
    }

    /// Takes the response to an authorization request.
    public convenience init(authorizationResponse: OIDAuthorizationResponse) {
        self.init(authorizationResponse: authorizationResponse, tokenResponse: nil)
    }

    /// Takes the responses of a sign-in.
    public convenience init(authorizationResponse: OIDAuthorizationResponse, tokenResponse: OIDTokenResponse?) {
        self.init(
            authorizationResponse: authorizationResponse,
            tokenResponse: tokenResponse,
            registrationResponse: nil
        )
    }

    /// Takes the response to a registration.
    public convenience init(registrationResponse: OIDRegistrationResponse) {
        self.init(authorizationResponse: nil, tokenResponse: nil, registrationResponse: registrationResponse)
    }

    /// Takes what there is of a sign-in.
    public convenience init(
        authorizationResponse: OIDAuthorizationResponse?,
        tokenResponse: OIDTokenResponse?,
        registrationResponse: OIDRegistrationResponse?
    ) {
        var content = Content()
        if let registrationResponse { content.take(registrationResponse) }
        if let authorizationResponse { content.take(authorizationResponse) }
        if let tokenResponse { content.take(tokenResponse) }
        self.init(content)
    }

    init(_ content: Content) { self.content = Lock(content) }

    /// Presents an authorization request, and redeems its code.
    @discardableResult
    public static func authState(
        byPresenting authorizationRequest: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDAuthStateAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        // The callback of the page is called outside of the caller's task: the surroundings are the caller's.
        let surroundings = OIDTransportProvider.surroundings
        return OIDAuthorizationService.present(authorizationRequest, externalUserAgent: externalUserAgent) {
            (response, error) in
            guard let response, let request = response.tokenExchangeRequest() else { return callback(nil, error) }
            OIDAuthorizationService.call(callback) { () throws(SignInError) in
                let tokens = try await OIDTransportProvider.within(surroundings) { () throws(SignInError) in
                    try await request.performed(answering: authorizationRequest)
                }
                return OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
            }
        }
    }

    /// Whether there is a token, and no error that ended the grant.
    public var isAuthorized: Bool { content.withLock { $0.isAuthorized } }

    /// The newest refresh token.
    public var refreshToken: String? { content.withLock { $0.refreshToken?.reveal() } }
    /// The granted scopes, separated by spaces.
    public var scope: String? { content.withLock { $0.scope } }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The authorization response of the newest sign-in; `nil` before the first.
    public var lastAuthorizationResponse: OIDAuthorizationResponse! { content.withLock { $0.authorizationResponse } }
    /// The newest token response.
    public var lastTokenResponse: OIDTokenResponse? { content.withLock { $0.tokenResponse } }
    /// The newest registration response.
    public var lastRegistrationResponse: OIDRegistrationResponse? { content.withLock { $0.registrationResponse } }
    /// The error that ended the grant.
    public var authorizationError: (any Error)? { content.withLock { $0.authorizationError } }

    /// Hears of changes; it is not kept alive.
    public var stateChangeDelegate: (any OIDAuthStateChangeDelegate)? {
        get { content.withLock { $0.stateChangeDelegate } }
        set { content.withLock { $0.stateChangeDelegate = newValue } }
    }

    /// Hears of errors; it is not kept alive.
    public var errorDelegate: (any OIDAuthStateErrorDelegate)? {
        get { content.withLock { $0.errorDelegate } }
        set { content.withLock { $0.errorDelegate = newValue } }
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) { self.init(Content(coder)) }

    /// Writes the keys of AppAuth's archives, with four keys of its own; the tokens are among the values.
    public func encode(with coder: NSCoder) { content.withLock { $0 }.encode(with: coder) }

    /// Whether the user is signed in; no token.
    override public var description: String { "OIDAuthState(isAuthorized: \(isAuthorized))" }
}

extension OIDAuthState: CustomReflectable {
    /// Whether the user is signed in.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}

/// Hears of changes, to store the state.
public protocol OIDAuthStateChangeDelegate: AnyObject, Sendable {
    /// Called on the main actor when the state has changed: archive it.
    @MainActor
    func didChange(_ state: OIDAuthState)
}

/// Hears of errors.
public protocol OIDAuthStateErrorDelegate: AnyObject, Sendable {
    /// Called on the main actor when the grant has ended: the user has to sign in again.
    @MainActor
    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error)

    /// Called on the main actor when a refresh failed for a reason that may pass.
    @MainActor
    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error)
}

extension OIDAuthStateErrorDelegate {
    /// Does nothing.
    @MainActor
    public func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {}
}
