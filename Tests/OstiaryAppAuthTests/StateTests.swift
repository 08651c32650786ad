import Dispatch
import Foundation
import HTTPTypes
import Ostiary
import OstiaryAppAuth
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("AppAuth: state and refresh", .timeLimit(.minutes(5)))
struct StateTests {
    @Test("Fresh tokens are handed out without a request, on the main thread")
    func fresh() async throws {
        let world = try World()
        let state = try await world.signIn()
        let tokens = try await world.run { try await state.performAction() }
        #expect(tokens.accessToken == state.lastTokenResponse?.accessToken)
        #expect(tokens.idToken == state.lastTokenResponse?.idToken)
        #expect(world.tokenRequests.count == 1)
        let isMain = await world.run {
            await withCheckedContinuation { continuation in
                state.performAction { _, _, _ in continuation.resume(returning: MainQueue.isCurrent) }
            }
        }
        #expect(isMain)
    }

    @Test("A token that expires within a minute is refreshed, once for all callers")
    func singleFlight() async throws {
        let world = try World()
        let state = try await world.signIn()
        world.clock.advance(by: .seconds(841))
        let tokens = try await world.run {
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { try await state.performAction().accessToken } }
                var tokens: Set<String?> = []
                for try await token in group { tokens.insert(token) }
                return tokens
            }
        }
        #expect(tokens.count == 1 && tokens.first == .some(state.lastTokenResponse?.accessToken))
        #expect(world.tokenRequests.count == 2)
    }

    @Test("A refresh that is asked for is made once, and its tokens replace the old ones")
    func forced() async throws {
        let world = try World()
        let state = try await world.signIn()
        let (before, refreshToken) = (state.lastTokenResponse?.accessToken, state.refreshToken)
        state.setNeedsTokenRefresh()
        let after = try await world.run { try await state.performAction(additionalRefreshParameters: ["custom": "x"]) }
        #expect(after.accessToken != nil && after.accessToken != before && state.refreshToken != refreshToken)
        #expect(world.tokenRequests.last?.form["custom"] == "x" && world.tokenRequests.count == 2)
        _ = try await world.run { try await state.performAction() }
        #expect(world.tokenRequests.count == 2)
        state.setNeedsTokenRefresh()
        let third = try await world.run { try await state.performAction() }
        #expect(third.accessToken != after.accessToken && world.tokenRequests.count == 3)
        #expect(world.tokenRequests.last?.form["custom"] == nil)
    }

    @Test("A refresh that brings no ID token keeps the one of the sign-in")
    func keptIDToken() async throws {
        let world = try World(.refreshWithoutIDToken)
        let state = try await world.signIn()
        let idToken = try #require(state.lastTokenResponse?.idToken)
        state.setNeedsTokenRefresh()
        let tokens = try await world.run { try await state.performAction() }
        #expect(tokens.idToken == idToken && state.lastTokenResponse?.idToken == nil)
    }

    @Test("A refresh that continues another user's session is refused", arguments: [Scenario.refreshInvalidSubject])
    func otherUser(scenario: Scenario) async throws {
        let world = try World(scenario)
        let state = try await world.signIn()
        let access = state.lastTokenResponse?.accessToken
        state.setNeedsTokenRefresh()
        let error = await failure { try await world.run { try await state.performAction() } }
        #expect(Place(error) == Place(.idTokenFailedValidationError))
        #expect(state.lastTokenResponse?.accessToken == access)
    }

    @Test("A refresh that fails temporarily keeps the grant and is reported, and the next call refreshes")
    func transient() async throws {
        let world = try World()
        let state = try await world.signIn()
        let delegate = Delegate()
        (state.stateChangeDelegate, state.errorDelegate) = (delegate, delegate)
        world.clock.advance(by: .seconds(900))
        let isDown = Switch()
        let transport = Detour(next: world.network) { request in
            let isFailing = request.form[.grantType] != nil && isDown.isOn
            return isFailing ? EndpointResponse(status: .badGateway) : nil
        }
        try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
            let error = await failure { try await state.performAction() }
            #expect(Place(error) == Place(.serverError) && state.isAuthorized)
            await until { delegate.transient == 1 }
            isDown.turnOff()
            world.clock.advance(by: .seconds(60))
            let tokens = try await state.performAction()
            #expect(tokens.accessToken?.isEmpty == false)
        }
        await until { delegate.changes == 1 }
        #expect(delegate.ended == 0 && delegate.transient == 1)
    }

    @Test("A rejected refresh token ends the grant for every caller, and is reported once")
    func ended() async throws {
        let world = try World()
        let state = try await world.signIn()
        let other = try #require(state.tokenRefreshRequest())
        _ = try await world.run { try await OIDAuthorizationService.perform(other) }
        let delegate = Delegate()
        (state.stateChangeDelegate, state.errorDelegate) = (delegate, delegate)
        world.clock.advance(by: .seconds(900))
        let invalidGrant = Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.invalidGrant.rawValue)
        for _ in 0..<2 {
            #expect(Place(await failure { try await world.run { try await state.performAction() } }) == invalidGrant)
        }
        await until { delegate.ended == 1 }
        #expect(!state.isAuthorized && Place(state.authorizationError as NSError?) == invalidGrant)
        #expect(world.tokenRequests.count == 3 && delegate.transient == 0)
    }

    @Test("A temporary refusal keeps the grant, although its domain is that of OAuth errors")
    func refusalThatMayPass() async throws {
        let world = try World()
        let state = try await world.signIn()
        world.clock.advance(by: .seconds(900))
        let transport = Detour(next: world.network) { request in
            request.form[.grantType] == nil
                ? nil : json(["error": "temporarily_unavailable"], status: .badRequest)
        }
        let error = await failure {
            try await OIDTransportProvider.withTransport(transport, clock: world.clock.device) {
                try await state.performAction()
            }
        }
        #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.temporarilyUnavailable.rawValue))
        #expect(state.isAuthorized)
        state.update(with: nil as OIDTokenResponse?, error: error)
        #expect(state.isAuthorized)
    }

    @Test("An expired token without a refresh token is an error of its own")
    func noRefreshToken() async throws {
        let world = try World()
        let state = try await world.signIn(
            World.request(try await world.configuration(), scopes: [OIDScopeOpenID])
        )
        #expect(state.refreshToken == nil && state.tokenRefreshRequest() == nil)
        world.clock.advance(by: .seconds(900))
        let error = await failure { try await world.run { try await state.performAction() } }
        #expect(Place(error) == Place(.tokenRefreshError))
    }

    @Test("An action runs on the queue that the app names")
    func queue() async throws {
        let world = try World()
        let state = try await world.signIn()
        let queue = DispatchQueue(label: "app")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let found = await world.run {
            await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
                state.performAction(
                    freshTokens: { _, _, _ in continuation.resume(returning: DispatchQueue.getSpecific(key: key)) },
                    additionalRefreshParameters: nil,
                    dispatchQueue: queue
                )
            }
        }
        #expect(found == 7)
    }

    // MARK: Updates

    @Test("An authorization response begins a new sign-in, and a token response completes it")
    func updates() async throws {
        let world = try World()
        let state = OIDAuthState(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
        #expect(!state.isAuthorized && state.lastAuthorizationResponse == nil)
        let delegate = Delegate()
        state.stateChangeDelegate = delegate
        let other = try await world.signIn()
        let (response, tokens) = (try #require(other.lastAuthorizationResponse), try #require(other.lastTokenResponse))
        state.update(with: response, error: nil)
        #expect(!state.isAuthorized && state.scope == response.request.scope)
        state.update(with: tokens, error: nil)
        #expect(state.isAuthorized && state.refreshToken == tokens.refreshToken && state.scope == tokens.scope)
        await until { delegate.changes == 2 }
        state.update(with: response, error: nil)
        #expect(state.lastTokenResponse == nil && state.refreshToken == nil && !state.isAuthorized)
    }

    @Test("An OAuth error ends the grant, other errors change nothing, and a new response begins anew")
    func errors() async throws {
        let world = try World()
        let state = try await world.signIn()
        let (response, tokens) = (try #require(state.lastAuthorizationResponse), try #require(state.lastTokenResponse))
        let network = NSError(domain: OIDGeneralErrorDomain, code: OIDErrorCode.networkError.rawValue)
        state.update(with: nil as OIDAuthorizationResponse?, error: network)
        state.update(with: nil as OIDTokenResponse?, error: network)
        #expect(state.isAuthorized)
        let denied = NSError(domain: OIDOAuthAuthorizationErrorDomain, code: OIDErrorCodeOAuth.accessDenied.rawValue)
        state.update(with: response, error: denied)
        #expect(!state.isAuthorized && Place(state.authorizationError as NSError?)?.code == -4)
        state.update(with: response, error: nil)
        state.update(with: tokens, error: nil)
        #expect(state.isAuthorized && state.authorizationError == nil)
        let invalid = NSError(domain: OIDOAuthTokenErrorDomain, code: OIDErrorCodeOAuth.invalidGrant.rawValue)
        state.update(with: tokens, error: invalid)
        #expect(!state.isAuthorized)
        state.update(with: tokens, error: nil)
        #expect(state.isAuthorized)
        state.update(withAuthorizationError: NSError(domain: OIDResourceServerAuthorizationErrorDomain, code: 1))
        #expect(!state.isAuthorized)
    }

    @Test("A registration of another client drops the tokens of the earlier one")
    func registration() async throws {
        let world = try World()
        let state = try await world.signIn()
        let request = OIDRegistrationRequest(
            configuration: state.lastAuthorizationResponse.request.configuration,
            redirectURIs: [World.redirect],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            additionalParameters: nil
        )
        let registered = OIDRegistrationResponse(request: request, parameters: ["client_id": NSString(string: "new")])
        state.update(with: registered)
        #expect(!state.isAuthorized && state.lastTokenResponse == nil && state.lastAuthorizationResponse == nil)
        #expect(state.lastRegistrationResponse?.clientID == "new" && state.refreshToken == nil && state.scope == nil)
        #expect(OIDAuthState(registrationResponse: registered).lastRegistrationResponse === registered)
    }

    @Test("Delegates are held weakly")
    func weakDelegates() async throws {
        let state = OIDAuthState(authorizationResponse: nil, tokenResponse: nil, registrationResponse: nil)
        do {
            let delegate = Delegate()
            (state.stateChangeDelegate, state.errorDelegate) = (delegate, delegate)
            #expect(state.stateChangeDelegate === delegate && state.errorDelegate === delegate)
        }
        #expect(state.stateChangeDelegate == nil && state.errorDelegate == nil)
    }

    // MARK: A store

    @Test("States of one archive that are bound to one store share each refresh")
    func boundStates() async throws {
        let world = try World()
        let signedIn = try await world.signIn()
        let archive = try NSKeyedArchiver.archivedData(withRootObject: signedIn, requiringSecureCoding: true)
        let store = MemoryStore()
        let states = try (0..<3).map { _ in
            let state = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: archive))
            state.bind(to: store)
            return state
        }
        world.clock.advance(by: .seconds(900))
        var tokens: Set<String?> = []
        for state in states { tokens.insert(try await world.run { try await state.performAction() }.accessToken) }
        #expect(tokens.count == 1 && world.tokenRequests.count == 2)
        world.clock.advance(by: .seconds(900))
        for state in states.reversed() { _ = try await world.run { try await state.performAction() } }
        #expect(world.tokenRequests.count == 3)
    }

    @Test("A later sign-in takes nothing of an earlier one from the store")
    func laterSignIn() async throws {
        let world = try World()
        let store = MemoryStore()
        let first = try await world.signIn()
        first.bind(to: store)
        first.setNeedsTokenRefresh()
        let old = try await world.run { try await first.performAction() }
        let second = try await world.signIn()
        second.bind(to: store)
        second.setNeedsTokenRefresh()
        let new = try await world.run { try await second.performAction() }
        #expect(new.accessToken != old.accessToken && world.tokenRequests.count == 4)
    }

    @Test("A sign-in that is removed from the store is revoked at the server")
    func removal() async throws {
        let world = try World()
        let store = MemoryStore()
        let state = try await world.signIn()
        state.bind(to: store)
        state.setNeedsTokenRefresh()
        _ = try await world.run { try await state.performAction() }
        try await world.run { try await state.removeFromStore() }
        state.setNeedsTokenRefresh()
        let error = await failure { try await world.run { try await state.performAction() } }
        #expect(Place(error) == Place(OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth.invalidGrant.rawValue))
    }
}

/// Counts what it hears.
final class Delegate: OIDAuthStateChangeDelegate, OIDAuthStateErrorDelegate {
    private let counts = Lock((changes: 0, ended: 0, transient: 0))

    var changes: Int { counts.withLock { $0.changes } }
    var ended: Int { counts.withLock { $0.ended } }
    var transient: Int { counts.withLock { $0.transient } }

    func didChange(_ state: OIDAuthState) { counts.withLock { $0.changes += 1 } }

    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error) {
        counts.withLock { $0.ended += 1 }
    }

    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {
        counts.withLock { $0.transient += 1 }
    }
}

/// On until it is turned off.
final class Switch: Sendable {
    private let state = Lock(true)

    var isOn: Bool { state.withLock { $0 } }
    func turnOff() { state.withLock { $0 = false } }
}
