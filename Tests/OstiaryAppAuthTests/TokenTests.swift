import Foundation
import HTTPTypes
import Ostiary
import OstiaryAppAuth
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("AppAuth: tokens", .timeLimit(.minutes(5)))
struct TokenTests {
    @Test(
        "An ID token that fails a check is refused with AppAuth's code, and no state is handed out",
        arguments: SignInFault.idToken.filter { $0.error.reason != .mismatch(.idToken) }
    )
    func invalidIDToken(_ fault: SignInFault) async throws {
        let world = try World(fault.scenario)
        let error = await failure { try await world.signIn() }
        #expect(Place(error) == Place(.idTokenFailedValidationError))
    }

    @Test("An ID token of a wrong form is refused as unreadable")
    func malformedIDToken() async throws {
        let world = try World()
        let transport = Detour(next: world.network) { request in
            guard request.form[.grantType] == "authorization_code" else { return nil }
            return json(["access_token": "a", "token_type": "Bearer", "id_token": "no.token"])
        }
        let response = try await world.authorize(World.request(try await world.configuration()))
        let error = await failure {
            try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                try await OIDAuthorizationService.perform(try #require(response.tokenExchangeRequest()))
            }
        }
        #expect([-14, -8].contains(error?.code ?? 0) && error?.domain == OIDGeneralErrorDomain)
    }

    @Test("A missing ID token is refused where openid was requested")
    func missingIDToken() async throws {
        let world = try World()
        let transport = Detour(next: world.network) { request in
            guard request.form[.grantType] == "authorization_code" else { return nil }
            return json(["access_token": "a", "token_type": "Bearer"])
        }
        let response = try await world.authorize(World.request(try await world.configuration()))
        let error = await failure {
            try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                try await OIDAuthorizationService.perform(try #require(response.tokenExchangeRequest()))
            }
        }
        #expect(Place(error) == Place(.idTokenFailedValidationError))
    }

    @Test("A token request without the authorization response rejects an ID token with an unknown nonce")
    func unknownNonce() async throws {
        let world = try World()
        let response = try await world.authorize(World.request(try await world.configuration()))
        func request() -> OIDTokenRequest {
            OIDTokenRequest(
                configuration: response.request.configuration,
                grantType: OIDGrantTypeAuthorizationCode,
                authorizationCode: response.authorizationCode,
                redirectURL: response.request.redirectURL,
                clientID: "app",
                clientSecret: nil,
                scopes: nil,
                refreshToken: nil,
                codeVerifier: response.request.codeVerifier,
                additionalParameters: nil
            )
        }
        let error = await failure { try await world.run { try await OIDAuthorizationService.perform(request()) } }
        #expect(Place(error) == Place(.idTokenFailedValidationError))
    }

    @Test("A token request with its original authorization response is accepted")
    func originalResponse() async throws {
        let world = try World()
        let response = try await world.authorize(World.request(try await world.configuration()))
        let request = OIDTokenRequest(
            configuration: response.request.configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: response.authorizationCode,
            redirectURL: response.request.redirectURL,
            clientID: "app",
            clientSecret: nil,
            scope: nil,
            refreshToken: nil,
            codeVerifier: response.request.codeVerifier,
            additionalParameters: nil
        )
        let tokens: OIDTokenResponse = try await world.run {
            try await withCheckedThrowingContinuation { continuation in
                OIDAuthorizationService.perform(request, originalAuthorizationResponse: response) { tokens, error in
                    #expect(MainQueue.isCurrent)
                    if let tokens {
                        continuation.resume(returning: tokens)
                    } else {
                        continuation.resume(throwing: error ?? CancellationError())
                    }
                }
            }
        }
        #expect(tokens.idToken?.isEmpty == false)
    }

    @Test("A client secret goes into the Authorization field with the escapes of a form")
    func basic() async throws {
        let world = try World()
        let configuration = try await world.configuration()
        let state = try await world.signIn(
            World.request(configuration, client: "basic", secret: "s3cret&=+ ä")
        )
        #expect(state.isAuthorized)
        let request = try #require(world.tokenRequests.first)
        #expect(request.fields[.authorization]?.hasPrefix("Basic ") == true)
        #expect(request.form[.clientSecret] == nil && request.form[.clientID] == nil)
    }

    @Test("A client secret among the additional parameters goes into the form, also at the refresh")
    func posted() async throws {
        let world = try World()
        let response = try await world.authorize(
            World.request(try await world.configuration(), client: "posting")
        )
        let request = try #require(
            response.tokenExchangeRequest(withAdditionalParameters: ["client_secret": "posted", "custom": "1"])
        )
        let tokens = try await world.run { try await OIDAuthorizationService.perform(request) }
        let form = try #require(world.tokenRequests.last?.form)
        #expect(form[.clientSecret] == "posted" && form["custom"] == "1" && form[.clientID] == "posting")
        let state = OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
        state.setNeedsTokenRefresh()
        _ = try await world.run { try await state.performAction() }
        #expect(world.tokenRequests.last?.form[.clientSecret] == "posted")
        #expect(world.tokenRequests.last?.form[.grantType] == "refresh_token")
    }

    @Test("A secret goes into the form where the metadata lists that way alone")
    func postedByMetadata() async throws {
        var scenario = Scenario(name: "post only")
        scenario.metadata = { $0["token_endpoint_auth_methods_supported"] = ["client_secret_post"] }
        let world = try World(scenario)
        let request = World.request(try await world.configuration(), client: "posting", secret: "posted")
        #expect(try await world.signIn(request).isAuthorized)
    }

    @Test("Additional header fields are sent, with the code and with a refresh")
    func headers() async throws {
        let world = try World()
        let response = try await world.authorize(World.request(try await world.configuration()))
        let request = try #require(
            response.tokenExchangeRequest(withAdditionalParameters: nil, additionalHeaders: ["X-Tenant": "7"])
        )
        let tokens = try await world.run { try await OIDAuthorizationService.perform(request) }
        let name = try #require(HTTPField.Name("X-Tenant"))
        #expect(world.tokenRequests.last?.fields[name] == "7")
        let state = OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
        let refresh = try #require(state.tokenRefreshRequest(withAdditionalHeaders: ["X-Tenant": "8"]))
        _ = try await world.run { try await OIDAuthorizationService.perform(refresh) }
        #expect(world.tokenRequests.last?.fields[name] == "8")
    }

    @Test("A refresh with the app's own request brings checked tokens and every member of the response")
    func bareRefresh() async throws {
        let world = try World()
        let state = try await world.signIn()
        let request = try #require(state.tokenRefreshRequest(withAdditionalParameters: ["custom": "x"]))
        let tokens = try await world.run { try await OIDAuthorizationService.perform(request) }
        #expect(tokens.accessToken != nil && tokens.accessToken != state.lastTokenResponse?.accessToken)
        #expect(tokens.refreshToken != nil && tokens.refreshToken != state.refreshToken)
        #expect(world.tokenRequests.last?.form["custom"] == "x" && tokens.tokenType == "Bearer")
    }

    @Test("A refused refresh token is invalid_grant of the token domain")
    func refusedRefresh() async throws {
        let world = try World()
        let state = try await world.signIn()
        let request = try #require(state.tokenRefreshRequest())
        _ = try await world.run { try await OIDAuthorizationService.perform(request) }
        let error = await failure { try await world.run { try await OIDAuthorizationService.perform(request) } }
        #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.invalidGrant.rawValue))
        let fields = error?.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any]
        #expect(fields?["error"] as? String == "invalid_grant")
    }

    @Test("A refused code is invalid_grant of the token domain")
    func refusedCode() async throws {
        let world = try World()
        let response = try await world.authorize(World.request(try await world.configuration()))
        let request = try #require(response.tokenExchangeRequest())
        _ = try await world.run { try await OIDAuthorizationService.perform(request) }
        let error = await failure { try await world.run { try await OIDAuthorizationService.perform(request) } }
        #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.invalidGrant.rawValue))
    }

    @Test("A client's own token needs no user")
    func clientCredentials() async throws {
        let world = try World()
        let request = OIDTokenRequest(
            configuration: try await world.configuration(),
            grantType: OIDGrantTypeClientCredentials,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "service",
            clientSecret: "service-secret",
            scopes: ["api"],
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        let tokens = try await world.run { try await OIDAuthorizationService.perform(request) }
        #expect(tokens.accessToken?.isEmpty == false && tokens.idToken == nil && tokens.refreshToken == nil)
    }

    @Test("The password grant is refused and nothing is sent")
    func password() async throws {
        let world = try World()
        let request = OIDTokenRequest(
            configuration: try await world.configuration(),
            grantType: OIDGrantTypePassword,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "app",
            clientSecret: nil,
            scope: nil,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: ["username": "alice", "password": "wonderland"]
        )
        let error = await failure { try await world.run { try await OIDAuthorizationService.perform(request) } }
        #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.unsupportedGrantType.rawValue))
        #expect(world.tokenRequests.isEmpty)
    }

    @Test("A code without its redirect URI, and a parameter of the request's own, are refused and nothing is sent")
    func ownParameters() async throws {
        let world = try World()
        let configuration = try await world.configuration()
        func request(_ redirect: URL?, _ additional: [String: String]?) -> OIDTokenRequest {
            OIDTokenRequest(
                configuration: configuration,
                grantType: OIDGrantTypeAuthorizationCode,
                authorizationCode: "c",
                redirectURL: redirect,
                clientID: "app",
                clientSecret: nil,
                scope: nil,
                refreshToken: nil,
                codeVerifier: nil,
                additionalParameters: additional
            )
        }
        for wrong in [request(nil, nil), request(World.redirect, ["code": "other"])] {
            let error = await failure { try await world.run { try await OIDAuthorizationService.perform(wrong) } }
            #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.clientError.rawValue))
        }
        #expect(world.tokenRequests.isEmpty)
    }

    @Test(
        "A response of the token endpoint that is no token response has its code",
        arguments: [
            (EndpointResponse(status: .badGateway), Place(.serverError)),
            (
                EndpointResponse(fields: [.contentType: "application/json"], body: Array("nonsense".utf8)),
                Place(.jsonDeserializationError)
            ),
            (EndpointResponse(body: Array("<html>".utf8)), Place(.jsonDeserializationError)),
            (json(["token_type": "Bearer"]), Place(.tokenResponseConstructionError)),
            (json(["access_token": "a"]), Place(.tokenResponseConstructionError)),
            (json(["access_token": "a", "token_type": "mac"]), Place(.tokenResponseConstructionError)),
        ]
    )
    func badResponses(response: EndpointResponse, expected: Place) async throws {
        let world = try World()
        let code = try await world.authorize(World.request(try await world.configuration()))
        let transport = Detour(next: world.network) { $0.form[.grantType] == nil ? nil : response }
        let error = await failure {
            try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                try await OIDAuthorizationService.perform(try #require(code.tokenExchangeRequest()))
            }
        }
        #expect(Place(error) == expected)
    }

    @Test("A lost response is a network error")
    func lost() async throws {
        let world = try World()
        let code = try await world.authorize(World.request(try await world.configuration()))
        world.network.lose(to: "/token", .beforeProcessing)
        let error = await failure {
            try await world.run { try await OIDAuthorizationService.perform(try #require(code.tokenExchangeRequest())) }
        }
        #expect(Place(error) == Place(.networkError))
    }

    @Test("Endpoints that the app gave get their issuer and keys from the ID token's issuer, which has to name them")
    func givenEndpoints() async throws {
        let world = try World()
        let known = try await world.configuration()
        let given = OIDServiceConfiguration(
            authorizationEndpoint: known.authorizationEndpoint,
            tokenEndpoint: known.tokenEndpoint
        )
        let state = try await world.signIn(World.request(given))
        #expect(state.isAuthorized)
        state.setNeedsTokenRefresh()
        _ = try await world.run { try await state.performAction() }
        #expect(world.tokenRequests.count == 2)
    }

    @Test("An ID token whose issuer names another token endpoint is refused")
    func otherTokenEndpoint() async throws {
        let world = try World()
        let known = try await world.configuration()
        let given = OIDServiceConfiguration(
            authorizationEndpoint: known.authorizationEndpoint,
            tokenEndpoint: URL(string: World.issuer + "/other/token")!
        )
        let network = world.network
        let token = known.tokenEndpoint
        let transport = Rerouting(next: network, from: given.tokenEndpoint, to: token)
        let response = try await world.authorize(World.request(given))
        let error = await failure {
            try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                try await OIDAuthorizationService.perform(try #require(response.tokenExchangeRequest()))
            }
        }
        #expect(Place(error) == Place(.idTokenFailedValidationError))
    }

    @Test("A maximum age among the additional parameters is checked")
    func maximumAge() async throws {
        let world = try World(.staleAuthenticationTime)
        let request = World.request(try await world.configuration(), additional: ["max_age": "60"])
        #expect(Place(await failure { try await world.signIn(request) }) == Place(.idTokenFailedValidationError))
    }

    @Test("Descriptions and dumps hold no code, verifier, secret or token")
    func redaction() async throws {
        let world = try World()
        let state = try await world.signIn(
            World.request(try await world.configuration(), client: "basic", secret: "s3cret&=+ ä")
        )
        let response = try #require(state.lastAuthorizationResponse)
        let tokens = try #require(state.lastTokenResponse)
        let refresh = try #require(state.tokenRefreshRequest(withAdditionalParameters: ["client_secret": "posted"]))
        let objects: [Any] = [state, response, response.request, tokens, tokens.request, refresh]
        var text = ""
        for object in objects {
            text += "\(object) \(String(reflecting: object))"
            dump(object, to: &text)
        }
        let secrets = [
            response.authorizationCode, response.request.codeVerifier, "s3cret", "posted", tokens.accessToken,
            tokens.idToken, tokens.refreshToken, state.refreshToken,
        ].compactMap { $0 }
        #expect(secrets.count == 8)
        for secret in secrets { #expect(!text.contains(secret)) }
    }
}

/// Sends what goes to one URL to another.
struct Rerouting: HTTPTransport {
    let next: any HTTPTransport
    let from: URL
    let to: URL

    init(next: any HTTPTransport, from: URL, to: URL) { (self.next, self.from, self.to) = (next, from, to) }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var request = request
        if request.url == from { request.url = to }
        return try await next.send(request)
    }
}

/// A JSON response.
func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> EndpointResponse {
    EndpointResponse(status: status, fields: [.contentType: "application/json"], body: object.encoded())
}
