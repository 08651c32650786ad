import Foundation
import Ostiary
import OstiaryAppAuth
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("AppAuth: sign-in", .timeLimit(.minutes(5)))
struct SignInTests {
    @Test("A sign-in by one call returns an authorized state, on the main thread")
    func wholeSignIn() async throws {
        let world = try World()
        let state = try await world.signIn()
        #expect(state.isAuthorized && state.authorizationError == nil)
        #expect(state.lastTokenResponse?.accessToken?.isEmpty == false)
        #expect(state.refreshToken?.isEmpty == false)
        let text = try #require(state.lastTokenResponse?.idToken)
        let idToken = try #require(OIDIDToken(idTokenString: text))
        #expect(idToken.subject == "alice-subject" && idToken.nonce == state.lastAuthorizationResponse.request.nonce)
        #expect(state.lastAuthorizationResponse.authorizationCode?.isEmpty == false)
    }

    @Test("A code is redeemed with the request of its response, with the nonce checked in both forms of the call")
    func redemption() async throws {
        let world = try World()
        let response = try await world.authorize(World.request(try await world.configuration()))
        let request = try #require(response.tokenExchangeRequest())
        let tokens = try await world.run { try await OIDAuthorizationService.perform(request) }
        #expect(tokens.accessToken?.isEmpty == false && tokens.idToken?.isEmpty == false)
        let form = try #require(world.tokenRequests.first?.form)
        #expect(form[.grantType] == "authorization_code" && form[.clientID] == "app")
        #expect(
            form[.redirectURI] == "com.example.app:/callback" && form[.codeVerifier] == response.request.codeVerifier
        )
        let lifetime = try #require(tokens.accessTokenExpirationDate).timeIntervalSince(world.clock.now)
        #expect(lifetime == 900)
    }

    @Test(
        "A redirect that fails a check is reported in AppAuth's codes",
        arguments: [
            ("?state=other&code=c", Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)),
            ("?code=c", Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)),
            ("?state=STATE", Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)),
            (
                "?state=STATE&code=c&code=d",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
            ),
            (
                "?state=STATE&code=c&id_token=t",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
            ),
            (
                "?state=STATE&code=c&iss=https://other.example.test",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
            ),
            ("?state=STATE&code=c", Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)),
            (
                "?state=STATE&error=access_denied&iss=ISSUER",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.accessDenied.rawValue)
            ),
            (
                "?state=STATE&error=access_denied&code=c&iss=ISSUER",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
            ),
            (
                "?state=STATE&error=made_up&iss=ISSUER",
                Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.other.rawValue)
            ),
        ]
    )
    func redirects(query: String, expected: Place) async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let text =
            World.redirect.absoluteString
            + query.replacing("STATE", with: request.state ?? "").replacing("ISSUER", with: World.issuer)
        let url = try #require(URL(string: text))
        let userAgent = RecordingUserAgent()
        let error = await failure {
            let response: OIDAuthorizationResponse = try await answer { callback in
                let flow = OIDAuthorizationService.present(request, externalUserAgent: userAgent, callback: callback)
                let isTaken: Bool = flow.resumeExternalUserAgentFlow(with: url)
                #expect(isTaken)
                return flow
            }
            return response
        }
        #expect(Place(error) == expected)
        #expect(error?.userInfo[NSUnderlyingErrorKey] is SignInError)
    }

    @Test("An OAuth error brings the server's parameters in the error's user info")
    func parameters() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let query = "?state=\(request.state ?? "")&error=access_denied&error_description=No%20way&iss=\(World.issuer)"
        let url = try #require(URL(string: World.redirect.absoluteString + query))
        let error = await failure {
            let response: OIDAuthorizationResponse = try await answer { callback in
                let flow = OIDAuthorizationService.present(
                    request,
                    externalUserAgent: RecordingUserAgent(),
                    callback: callback
                )
                #expect(throws: Never.self) { try flow.resumeExternalUserAgentFlow(with: url) }
                return flow
            }
            return response
        }
        let fields = try #require(error?.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any])
        #expect(fields["error"] as? String == "access_denied" && fields["error_description"] as? String == "No way")
        #expect(OIDErrorUtilities.isOAuthErrorDomain(try #require(error?.domain)))
    }

    @Test("A URL for another place leaves the flow waiting, and a second redirect finds it ended")
    func otherPlaces() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let calls = Calls()
        let flow = OIDAuthorizationService.present(request, externalUserAgent: RecordingUserAgent()) { _, error in
            calls.add(error)
        }
        let elsewhere = try #require(URL(string: "com.example.app:/elsewhere?state=\(request.state ?? "")"))
        let isTaken: Bool = flow.resumeExternalUserAgentFlow(with: elsewhere)
        #expect(!isTaken)
        #expect(Place(await failure { try flow.resumeExternalUserAgentFlow(with: elsewhere) }) == Place(.urlMismatch))
        let answer = try #require(URL(string: World.redirect.absoluteString + "?state=x"))
        try flow.resumeExternalUserAgentFlow(with: answer)
        let again = await failure { try flow.resumeExternalUserAgentFlow(with: answer) }
        #expect(Place(again) == Place(.invalidAuthorizationFlow))
        await until { calls.count == 1 }
        flow.cancel()
        flow.failExternalUserAgentFlowWithError(CancellationError())
        await until { calls.count == 1 }
        #expect(calls.count == 1)
    }

    @Test("A cancelled flow dismisses its page and reports that the user cancelled")
    func cancelling() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let (userAgent, calls) = (RecordingUserAgent(), Calls())
        let flow = OIDAuthorizationService.present(request, externalUserAgent: userAgent) { _, error in calls.add(error)
        }
        await withCheckedContinuation { continuation in flow.cancel { continuation.resume() } }
        #expect(Place(calls.last) == Place(.userCanceledAuthorizationFlow) && userAgent.dismissals == 1)
    }

    @Test("A user agent that shows no page ends the flow with the platform's code")
    func noPage() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let error = await failure {
            let response: OIDAuthorizationResponse = try await answer {
                OIDAuthorizationService.present(
                    request,
                    externalUserAgent: RecordingUserAgent(shows: false),
                    callback: $0
                )
            }
            return response
        }
        #expect(Place(error) == Place(.browserOpenError))
    }

    @Test("A user who closes the page cancels the sign-in")
    func closing() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let userAgent = OIDExternalUserAgentOstiary(
            ScriptedUserAgent { (_, _) throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        )
        let error = await failure {
            let state: OIDAuthState = try await answer {
                OIDAuthState.authState(byPresenting: request, externalUserAgent: userAgent, callback: $0)
            }
            return state
        }
        #expect(Place(error) == Place(.userCanceledAuthorizationFlow))
    }

    @Test("A user agent's own error reaches the callback unchanged")
    func ownError() async throws {
        let world = try World()
        let request = World.request(try await world.configuration())
        let error = await failure {
            let response: OIDAuthorizationResponse = try await answer {
                let flow = OIDAuthorizationService.present(
                    request,
                    externalUserAgent: RecordingUserAgent(),
                    callback: $0
                )
                flow.failExternalUserAgentFlowWithError(
                    OIDErrorUtilities.error(with: .safariOpenError, underlyingError: nil, description: "No.")
                )
                return flow
            }
            return response
        }
        #expect(Place(error) == Place(.safariOpenError) && error?.localizedDescription == "No.")
    }

    struct Refusal: Sendable {
        let name: String
        let place: Place
        let change: @Sendable (OIDServiceConfiguration) -> OIDAuthorizationRequest
    }

    static let clientError = Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.clientError.rawValue)
    static let refusals: [Refusal] = [
        Refusal(
            name: "hybrid",
            place: Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.unsupportedResponseType.rawValue)
        ) { made($0, type: "code id_token") },
        Refusal(
            name: "implicit",
            place: Place(OIDOAuthAuthorizationErrorDomain, OIDErrorCodeOAuth.unsupportedResponseType.rawValue)
        ) { made($0, type: OIDResponseTypeToken) },
        Refusal(name: "plain", place: clientError) { made($0, challenge: verifier, method: "plain") },
        Refusal(name: "no PKCE", place: clientError) { made($0, verifier: nil, challenge: nil, method: nil) },
        Refusal(name: "no state", place: clientError) { made($0, state: nil) },
        Refusal(name: "no redirect", place: clientError) { made($0, redirect: nil) },
        Refusal(name: "web redirect", place: clientError) {
            made($0, redirect: URL(string: "http://example.com/callback"))
        },
        Refusal(name: "scope", place: clientError) { made($0, scope: "open\"id") },
        Refusal(name: "own parameter", place: clientError) { made($0, additional: ["client_id": "other"]) },
        Refusal(name: "plain http", place: Place(.networkError)) { _ in
            made(
                OIDServiceConfiguration(
                    authorizationEndpoint: URL(string: "http://id.example.test/authorize")!,
                    tokenEndpoint: URL(string: "https://id.example.test/token")!
                )
            )
        },
    ]
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private static func made(
        _ configuration: OIDServiceConfiguration,
        type: String = OIDResponseTypeCode,
        scope: String = "openid",
        redirect: URL? = World.redirect,
        state: String? = "a-state",
        verifier: String? = verifier,
        challenge: String? = OIDAuthorizationRequest.codeChallengeS256(forVerifier: verifier),
        method: String? = OIDOAuthorizationRequestCodeChallengeMethodS256,
        additional: [String: String]? = nil
    ) -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: configuration,
            clientId: "app",
            clientSecret: nil,
            scope: scope,
            redirectURL: redirect,
            responseType: type,
            state: state,
            nonce: nil,
            codeVerifier: verifier,
            codeChallenge: challenge,
            codeChallengeMethod: method,
            additionalParameters: additional
        )
    }

    @Test("A request that the library does not send is refused before a page opens", arguments: refusals.indices)
    func refused(index: Int) async throws {
        let refusal = Self.refusals[index]
        let world = try World()
        let request = refusal.change(try await world.configuration())
        let userAgent = RecordingUserAgent()
        let error = await failure {
            let response: OIDAuthorizationResponse = try await answer {
                OIDAuthorizationService.present(request, externalUserAgent: userAgent, callback: $0)
            }
            return response
        }
        #expect(Place(error) == refusal.place, "\(refusal.name)")
        #expect(userAgent.presentations == 0)
    }

    @Test("An end-session request ends with its state checked")
    func endSession() async throws {
        let world = try World()
        let state = try await world.signIn()
        let request = OIDEndSessionRequest(
            configuration: state.lastAuthorizationResponse.request.configuration,
            idTokenHint: try #require(state.lastTokenResponse?.idToken),
            postLogoutRedirectURL: World.signedOut,
            additionalParameters: ["client_id": "app"]
        )
        let response: OIDEndSessionResponse = try await answer {
            OIDAuthorizationService.present(request, externalUserAgent: world.browser, callback: $0)
        }
        #expect(response.state == request.state && response.state?.isEmpty == false)
        let forged = await failure {
            let response: OIDEndSessionResponse = try await answer {
                let flow = OIDAuthorizationService.present(
                    request,
                    externalUserAgent: RecordingUserAgent(),
                    callback: $0
                )
                let isTaken: Bool = flow.resumeExternalUserAgentFlow(
                    with: World.signedOut.appending(queryItems: [URLQueryItem(name: "state", value: "other")])
                )
                #expect(isTaken)
                return flow
            }
            return response
        }
        #expect(Place(forged) == Self.clientError)
    }

    @Test("A server without an end-session endpoint is reported as incomplete metadata")
    func noEndSession() async throws {
        let configuration = OIDServiceConfiguration(
            authorizationEndpoint: URL(string: "https://id.example.test/authorize")!,
            tokenEndpoint: URL(string: "https://id.example.test/token")!
        )
        let request = OIDEndSessionRequest(
            configuration: configuration,
            idTokenHint: "t",
            postLogoutRedirectURL: World.signedOut,
            additionalParameters: nil
        )
        let error = await failure {
            let response: OIDEndSessionResponse = try await answer {
                OIDAuthorizationService.present(request, externalUserAgent: RecordingUserAgent(), callback: $0)
            }
            return response
        }
        #expect(Place(error) == Place(.invalidDiscoveryDocument))
    }
}

/// Shows nothing, and counts.
final class RecordingUserAgent: OIDExternalUserAgent {
    private let counts = Lock((presentations: 0, dismissals: 0))
    private let shows: Bool

    init(shows: Bool = true) { self.shows = shows }

    var presentations: Int { counts.withLock { $0.presentations } }
    var dismissals: Int { counts.withLock { $0.dismissals } }

    func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        counts.withLock { $0.presentations += 1 }
        return shows
    }

    func dismiss(animated: Bool, completion: @escaping () -> Void) {
        counts.withLock { $0.dismissals += 1 }
        completion()
    }
}

/// The errors that a callback got.
final class Calls: Sendable {
    private let errors = Lock<[NSError?]>([])

    func add(_ error: (any Error)?) { errors.withLock { $0.append(error.map { $0 as NSError }) } }
    var count: Int { errors.withLock { $0.count } }
    var last: NSError? { errors.withLock { $0.last ?? nil } }
}
