public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// Gets the metadata that was read, or an error.
public typealias OIDDiscoveryCallback = @MainActor @Sendable (OIDServiceConfiguration?, (any Error)?) -> Void
/// Gets an authorization response, or an error.
public typealias OIDAuthorizationCallback = @MainActor @Sendable (OIDAuthorizationResponse?, (any Error)?) -> Void
/// Gets an end-session response, or an error.
public typealias OIDEndSessionCallback = @MainActor @Sendable (OIDEndSessionResponse?, (any Error)?) -> Void
/// Gets a token response, or an error.
public typealias OIDTokenCallback = @MainActor @Sendable (OIDTokenResponse?, (any Error)?) -> Void
/// Gets a registered client, or an error.
public typealias OIDRegistrationCompletion = @MainActor @Sendable (OIDRegistrationResponse?, (any Error)?) -> Void
/// Parameters of a token request.
public typealias OIDTokenEndpointParameters = [String: String]?

/// The requests of a sign-in, with callbacks on the main actor.
///
/// Each error is an `NSError` in one of AppAuth's domains, with the library's `SignInError` as its underlying error.
public enum OIDAuthorizationService {
    // MARK: Metadata

    /// Reads an issuer's metadata (OpenID Connect Discovery section 4).
    ///
    /// The metadata has to name this issuer, character by character.
    public static func discoverConfiguration(forIssuer issuerURL: URL, completion: @escaping OIDDiscoveryCallback) {
        call(completion) { () throws(SignInError) in try await configuration(of: issuerURL.absoluteString) }
    }

    /// Reads an issuer's metadata.
    public static func discoverConfiguration(forIssuer issuerURL: URL) async throws -> OIDServiceConfiguration {
        try await inAppAuthsErrors { () throws(SignInError) in try await configuration(of: issuerURL.absoluteString) }
    }

    /// Reads metadata at its own URL: the issuer followed by `/.well-known/openid-configuration`.
    ///
    /// The metadata has to name the issuer that the URL is made of.
    public static func discoverConfiguration(
        forDiscoveryURL discoveryURL: URL,
        completion: @escaping OIDDiscoveryCallback
    ) {
        call(completion) { () throws(SignInError) in try await configuration(at: discoveryURL) }
    }

    /// Reads metadata at its own URL.
    public static func discoverConfiguration(forDiscoveryURL discoveryURL: URL) async throws -> OIDServiceConfiguration
    {
        try await inAppAuthsErrors { () throws(SignInError) in try await configuration(at: discoveryURL) }
    }

    private static func configuration(at url: URL) async throws(SignInError) -> OIDServiceConfiguration {
        let suffix = "/.well-known/openid-configuration"
        let text = url.absoluteString
        guard text.hasSuffix(suffix) else {
            throw SignInError(
                .discovery,
                .configuration("Metadata has a URL that ends in \(suffix): use discoverConfiguration(forIssuer:).")
            )
        }
        return try await configuration(of: String(text.dropLast(suffix.count)))
    }

    private static func configuration(of issuer: String) async throws(SignInError) -> OIDServiceConfiguration {
        let surroundings = OIDTransportProvider.surroundings
        let context = ExchangeContext(device: surroundings.clock)
        let issuer = try Issuer(issuer)
        var server: AuthorizationServer
        do throws(SignInError) {
            server = try await surroundings.transport.perform(ServerMetadataRequest(issuer), in: context)
        } catch {
            // A slash at the end is written in one place and left out in the other: the document's address is the same.
            guard error.reason == .mismatch(.metadataIssuer), let other = issuer.spelledOtherwise else { throw error }
            server = try await surroundings.transport.perform(ServerMetadataRequest(other), in: context)
        }
        guard let document = try? OIDServiceDiscovery(server.metadata) else {
            throw SignInError(.discovery, .malformed("a required member of the metadata"))
        }
        return OIDServiceConfiguration(document, discovered: server)
    }

    // MARK: Authorization

    /// Presents an authorization request; the callback gets its response once it has passed the checks of a redirect.
    @discardableResult
    public static func present(
        _ request: OIDAuthorizationRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDAuthorizationCallback
    ) -> any OIDExternalUserAgentSession {
        present(
            request,
            to: { () throws(SignInError) in try request.checked() },
            in: externalUserAgent,
            reading: { (url, redirectURI) throws(SignInError) in
                try OIDAuthorizationResponse(request, redirect: url, to: redirectURI)
            },
            callback: callback
        )
    }

    /// Presents an end-session request; the callback gets its response once its `state` is the request's.
    @discardableResult
    public static func present(
        _ request: OIDEndSessionRequest,
        externalUserAgent: any OIDExternalUserAgent,
        callback: @escaping OIDEndSessionCallback
    ) -> any OIDExternalUserAgentSession {
        present(
            request,
            to: { () throws(SignInError) in try request.checked() },
            in: externalUserAgent,
            reading: { (url, redirectURI) throws(SignInError) in
                try OIDEndSessionResponse(request, redirect: url, to: redirectURI)
            },
            callback: callback
        )
    }

    private static func present<Response: Sendable>(
        _ request: any OIDExternalUserAgentRequest,
        to destination: () throws(SignInError) -> RedirectURI,
        in userAgent: any OIDExternalUserAgent,
        reading read: @escaping @Sendable (URL, RedirectURI) throws(SignInError) -> Response,
        callback: @escaping @MainActor @Sendable (Response?, (any Error)?) -> Void
    ) -> any OIDExternalUserAgentSession {
        do throws(SignInError) {
            let flow = PresentedFlow(
                request,
                redirectURI: try destination(),
                in: userAgent,
                reading: read,
                callback: callback
            )
            flow.present()
            return flow
        } catch {
            let flow = PresentedFlow(request, redirectURI: nil, in: userAgent, reading: read, callback: callback)
            flow.failExternalUserAgentFlowWithError(error.appAuthError)
            return flow
        }
    }

    // MARK: Tokens

    /// Sends a token request.
    public static func perform(_ request: OIDTokenRequest, callback: @escaping OIDTokenCallback) {
        perform(request, originalAuthorizationResponse: nil, callback: callback)
    }

    /// Sends a token request that redeems the code of a response.
    ///
    /// - Parameters:
    ///   - request: The token request.
    ///   - authorizationResponse: The response; its request's nonce has to be in the ID token. `nil` for a request of
    ///     ``OIDAuthorizationResponse/tokenExchangeRequest()``, which remembers it.
    ///   - callback: Receives the response or the error, on the main queue.
    public static func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse?,
        callback: @escaping OIDTokenCallback
    ) {
        call(callback) { () throws(SignInError) in
            try await request.performed(answering: authorizationResponse?.request)
        }
    }

    /// Sends a token request.
    public static func perform(
        _ request: OIDTokenRequest,
        originalAuthorizationResponse authorizationResponse: OIDAuthorizationResponse? = nil
    ) async throws -> OIDTokenResponse {
        try await inAppAuthsErrors { () throws(SignInError) in
            try await request.performed(answering: authorizationResponse?.request)
        }
    }

    // MARK: Registration

    /// Registers a client.
    public static func perform(_ request: OIDRegistrationRequest, completion: @escaping OIDRegistrationCompletion) {
        call(completion) { () throws(SignInError) in try await registered(request) }
    }

    /// Registers a client.
    public static func perform(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        try await inAppAuthsErrors { () throws(SignInError) in try await registered(request) }
    }

    private static func registered(_ request: OIDRegistrationRequest) async throws(SignInError)
        -> OIDRegistrationResponse
    {
        let surroundings = OIDTransportProvider.surroundings
        let call = RegistrationCall(
            registration: ClientRegistrationRequest(
                request.metadata,
                initialAccessToken: request.initialAccessToken.map { Secret($0) },
                server: try request.configuration.server()
            )
        )
        let members = try await surroundings.transport.perform(call, in: ExchangeContext(device: surroundings.clock))
        return OIDRegistrationResponse(request, members: members)
    }

    // MARK: Callbacks

    static func call<Response: Sendable>(
        _ callback: @escaping @MainActor @Sendable (Response?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws(SignInError) -> Response
    ) {
        Task {
            do throws(SignInError) {
                let response = try await body()
                onMain { callback(response, nil) }
            } catch {
                let error = error.appAuthError
                onMain { callback(nil, error) }
            }
        }
    }

    static func inAppAuthsErrors<Response>(
        _ body: () async throws(SignInError) -> Response
    ) async throws -> Response {
        do throws(SignInError) { return try await body() } catch { throw error.appAuthError }
    }
}

/// The library's registration, with every member of its response.
private struct RegistrationCall: Exchange {
    let registration: ClientRegistrationRequest

    var stage: SignInError.Stage { registration.stage }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest { try registration.request(&fresh) }

    func output(from response: EndpointResponse) throws(SignInError) -> JSONObject {
        _ = try registration.output(from: response)
        return try response.jsonObject(at: stage)
    }
}

extension Issuer {
    /// The issuer with a slash at its end, or without the one that it has.
    fileprivate var spelledOtherwise: Issuer? {
        try? Issuer(description.hasSuffix("/") ? String(description.dropLast()) : description + "/")
    }
}
