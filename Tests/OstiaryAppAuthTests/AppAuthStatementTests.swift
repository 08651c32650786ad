import Foundation
import HTTPTypes
import Ostiary
import OstiaryAppAuth
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// Statements of AppAuth's own unit tests that the other suites do not state by the way.
@Suite("AppAuth: statements of its own tests", .timeLimit(.minutes(5)))
struct AppAuthStatementTests {
    private let registration = OIDRegistrationRequest(
        configuration: Values.configuration,
        redirectURIs: [World.redirect],
        responseTypes: ["code"],
        grantTypes: [OIDGrantTypeAuthorizationCode],
        subjectType: "public",
        tokenEndpointAuthMethod: "client_secret_basic",
        initialAccessToken: "initial",
        additionalParameters: ["p": "1"]
    )

    private func state(_ parameters: [String: any NSObject & NSCopying], in world: World) async throws -> OIDAuthState {
        let signedIn = try await world.signIn()
        let request = try #require(signedIn.lastTokenResponse?.request)
        let response = try #require(signedIn.lastAuthorizationResponse)
        // The response takes its expiry from the clock of the surroundings.
        return await world.run {
            OIDAuthState(
                authorizationResponse: response,
                tokenResponse: OIDTokenResponse(request: request, parameters: parameters)
            )
        }
    }

    @Test("A token without an expiry is fresh, one that has expired is not, and neither is one that needs a refresh")
    func freshness() async throws {
        let world = try World()
        let endless = try await state(["access_token": NSString(string: "abc123")], in: world)
        #expect(try await world.run { try await endless.performAction() }.accessToken == "abc123")
        let expired = try await state(
            ["access_token": NSString(string: "abc123"), "expires_in": NSNumber(value: 0)],
            in: world
        )
        let refused = await failure { try await world.run { try await expired.performAction() } }
        #expect(Place(refused) == Place(.tokenRefreshError))
        endless.setNeedsTokenRefresh()
        let noToken = await failure { try await world.run { try await endless.performAction() } }
        #expect(Place(noToken) == Place(.tokenRefreshError))
    }

    @Test("invalid_grant and invalid_client are each reported once to the error delegate")
    func errorDelegate() async throws {
        let state = try await World().signIn()
        let delegate = Delegate()
        state.errorDelegate = delegate
        for code in [OIDErrorCodeOAuth.invalidGrant, .invalidClient] {
            state.update(withAuthorizationError: NSError(domain: OIDOAuthTokenErrorDomain, code: code.rawValue))
        }
        await until { delegate.ended == 2 }
        #expect(!state.isAuthorized && delegate.transient == 0)
    }

    @Test("A response beside an OAuth error ends the grant, from either endpoint")
    func responseAndError() async throws {
        let state = try await World().signIn()
        let (response, tokens) = (try #require(state.lastAuthorizationResponse), try #require(state.lastTokenResponse))
        state.update(with: response, error: NSError(domain: OIDOAuthAuthorizationErrorDomain, code: -2))
        #expect(!state.isAuthorized && state.authorizationError != nil)
        state.update(with: response, error: nil)
        state.update(with: tokens, error: nil)
        #expect(state.isAuthorized)
        state.update(with: tokens, error: NSError(domain: OIDOAuthTokenErrorDomain, code: -10))
        #expect(!state.isAuthorized && state.authorizationError != nil)
    }

    @Test("A state follows a code, tokens, a refresh, a refusal and a new sign-in")
    func lifecycle() async throws {
        let signedIn = try await World().signIn()
        let response = try #require(signedIn.lastAuthorizationResponse)
        let tokens = try #require(signedIn.lastTokenResponse)
        let state = OIDAuthState(authorizationResponse: response)
        #expect(state.lastAuthorizationResponse === response && !state.isAuthorized)
        state.update(with: tokens, error: nil)
        #expect(state.lastTokenResponse === tokens && state.isAuthorized)
        let refreshed = OIDTokenResponse(
            request: tokens.request,
            parameters: ["access_token": NSString(string: "2"), "refresh_token": NSString(string: "r2")]
        )
        state.update(with: refreshed, error: nil)
        #expect(state.lastTokenResponse === refreshed && state.isAuthorized && state.refreshToken == "r2")
        state.update(with: nil as OIDTokenResponse?, error: NSError(domain: OIDOAuthTokenErrorDomain, code: -10))
        #expect(!state.isAuthorized)
        state.update(with: response, error: nil)
        #expect(!state.isAuthorized && state.authorizationError == nil)
        state.update(with: tokens, error: nil)
        #expect(state.isAuthorized)
    }

    @Test("A state without a refresh token makes no refresh request, with parameters and fields or without")
    func noRefreshRequest() {
        let state = OIDAuthState(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
        #expect(state.tokenRefreshRequest() == nil && state.tokenRefreshRequest(withAdditionalParameters: nil) == nil)
        #expect(state.tokenRefreshRequest(withAdditionalHeaders: nil) == nil)
        #expect(
            state.tokenRefreshRequest(withAdditionalParameters: ["p": "1"], additionalHeaders: ["X-H": "2"]) == nil
        )
    }

    @Test("A registration request keeps its values and the native application type, in its copy and its archive")
    func registrationRequest() throws {
        let copy = try #require(registration.copy() as? OIDRegistrationRequest)
        let data = try NSKeyedArchiver.archivedData(withRootObject: registration, requiringSecureCoding: true)
        let archived = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDRegistrationRequest.self, from: data)
        )
        for request in [registration, copy, archived] {
            #expect(request.applicationType == OIDApplicationTypeNative && request.initialAccessToken == "initial")
            #expect(request.redirectURIs == [World.redirect] && request.responseTypes == ["code"])
            #expect(request.grantTypes == [OIDGrantTypeAuthorizationCode] && request.subjectType == "public")
            #expect(request.tokenEndpointAuthenticationMethod == "client_secret_basic")
            #expect(request.additionalParameters == ["p": "1"])
            #expect(request.configuration.registrationEndpoint == Values.configuration.registrationEndpoint)
        }
    }

    @Test("A registration is sent as JSON to its endpoint, with the initial access token and every member")
    func sentRegistration() async throws {
        let world = try World()
        let seen = Lock<[EndpointRequest]>([])
        let transport = Detour(next: world.network) { request in
            guard request.method == .post else { return nil }
            seen.withLock { $0.append(request) }
            return json(["client_id": "c1"], status: .created)
        }
        let registration = registration
        let response = try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
            try await OIDAuthorizationService.perform(registration)
        }
        #expect(response.clientID == "c1")
        let request = try #require(seen.withLock { $0.first })
        #expect(request.url == Values.configuration.registrationEndpoint && request.method == .post)
        #expect(request.allFields[.contentType] == "application/json")
        #expect(request.allFields[.authorization] == "Bearer initial")
        let sent = try #require(try JSONSerialization.jsonObject(with: Data(request.body ?? [])) as? [String: Any])
        #expect(sent["application_type"] as? String == "native" && sent["subject_type"] as? String == "public")
        #expect(sent["redirect_uris"] as? [String] == [World.redirect.absoluteString])
        #expect(sent["response_types"] as? [String] == ["code"] && sent["p"] as? String == "1")
        #expect(sent["grant_types"] as? [String] == ["authorization_code"])
        #expect(sent["token_endpoint_auth_method"] as? String == "client_secret_basic")
    }

    @Test("A copy of a response, a registration and an end-session request is the same object")
    func copies() async throws {
        let state = try await World().signIn()
        let response = try #require(state.lastAuthorizationResponse)
        #expect(response.copy() as AnyObject === response)
        let registered = OIDRegistrationResponse(
            request: registration,
            parameters: ["client_id": NSString(string: "c1")]
        )
        #expect(registered.copy() as AnyObject === registered)
        let ending = OIDEndSessionRequest(
            configuration: Values.configuration,
            idTokenHint: "hint",
            postLogoutRedirectURL: World.signedOut,
            additionalParameters: nil
        )
        #expect(ending.copy() as AnyObject === ending)
    }

    @Test("A configuration of endpoints alone has no issuer, registration or end-session endpoint")
    func endpointsAlone() throws {
        let service = OIDServiceConfiguration(
            authorizationEndpoint: try #require(URL(string: "https://example.com/authorization")),
            tokenEndpoint: try #require(URL(string: "https://example.com/token"))
        )
        #expect(service.issuer == nil && service.registrationEndpoint == nil && service.endSessionEndpoint == nil)
        #expect(service.discoveryDocument == nil && service.tokenEndpoint.path == "/token")
    }
}
