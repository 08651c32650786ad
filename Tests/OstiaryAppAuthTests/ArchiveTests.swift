import Foundation
import Ostiary
import OstiaryAppAuth
import OstiaryMigration
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("AppAuth: archives of signed-in users", .timeLimit(.minutes(5)))
struct ArchiveTests {
    /// An archive with the class names that AppAuth writes.
    static func appAuthArchive(_ object: any NSObject & NSCoding) throws -> Data {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try renamed(data) { $0.hasPrefix("OstiaryAppAuth.") ? String($0.dropFirst(15)) : $0 }
    }

    /// An archive with other class names.
    static func renamed(_ archive: Data, _ name: (String) -> String) throws -> Data {
        let list = try PropertyListSerialization.propertyList(from: archive, options: [], format: nil)
        var members = try #require(list as? [String: Any])
        let objects = try #require(members["$objects"] as? [Any])
        members["$objects"] = objects.map { object -> Any in
            guard var type = object as? [String: Any], let known = type["$classname"] as? String else { return object }
            type["$classname"] = name(known)
            type["$classes"] = (type["$classes"] as? [String] ?? []).map(name)
            return type
        }
        return try PropertyListSerialization.data(fromPropertyList: members, format: .binary, options: 0)
    }

    @Test("A state is the same when it is read from its archive, and goes on refreshing")
    func state() async throws {
        let world = try World()
        let state = try await world.signIn(
            World.request(try await world.configuration(), additional: ["ui_locales": "sv"])
        )
        let data = try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data))
        #expect(read.isAuthorized && read.refreshToken == state.refreshToken && read.scope == state.scope)
        let (tokens, known) = (try #require(read.lastTokenResponse), try #require(state.lastTokenResponse))
        #expect(tokens.accessToken == known.accessToken && tokens.idToken == known.idToken)
        #expect(tokens.accessTokenExpirationDate == known.accessTokenExpirationDate)
        #expect(tokens.tokenType == known.tokenType && tokens.refreshToken == known.refreshToken)
        let (request, sent) = (read.lastAuthorizationResponse.request, state.lastAuthorizationResponse.request)
        #expect(request.authorizationRequestURL() == sent.authorizationRequestURL())
        #expect(request.codeVerifier == sent.codeVerifier && request.clientID == sent.clientID)
        #expect(request.configuration.discoveryDocument?.jwksURL == sent.configuration.discoveryDocument?.jwksURL)
        #expect(read.lastAuthorizationResponse.authorizationCode == state.lastAuthorizationResponse.authorizationCode)
        world.clock.advance(by: .seconds(900))
        #expect(try await world.run { try await read.performAction() }.accessToken != known.accessToken)
    }

    @Test("An archive with AppAuth's names is read, and its user goes on without a sign-in")
    func appAuthsState() async throws {
        let world = try World()
        let state = try await world.signIn()
        let data = try Self.appAuthArchive(state)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data))
        #expect(read.isAuthorized && read.refreshToken == state.refreshToken)
        read.setNeedsTokenRefresh()
        #expect(try await world.run { try await read.performAction() }.accessToken?.isEmpty == false)
    }

    @Test("The library's own reader of AppAuth's archives finds the same values under the same keys")
    func independentReader() async throws {
        let world = try World()
        let state = try await world.signIn()
        let imported = try ImportedSession(appAuthArchive: [UInt8](try Self.appAuthArchive(state)))
        #expect(imported.refreshToken.reveal() == state.refreshToken && imported.clientID == "app")
        #expect(imported.issuer == World.issuer && imported.subject == "alice-subject")
        #expect(imported.nonce == state.lastAuthorizationResponse.request.nonce)
    }

    @Test("An archived state with an authorization error is still not authorized")
    func endedState() async throws {
        let world = try World()
        let state = try await world.signIn()
        let information: [String: Any] = [NSLocalizedDescriptionKey: "No.", "object": NSObject()]
        state.update(
            withAuthorizationError: NSError(domain: OIDOAuthTokenErrorDomain, code: -10, userInfo: information)
        )
        let data = try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data))
        #expect(
            !read.isAuthorized && Place(read.authorizationError as NSError?) == Place(OIDOAuthTokenErrorDomain, -10)
        )
    }

    @Test("An archived state keeps the pending refresh and the ID token that a refresh did not return")
    func wishes() async throws {
        let world = try World(.refreshWithoutIDToken)
        let state = try await world.signIn()
        let idToken = state.lastTokenResponse?.idToken
        state.setNeedsTokenRefresh()
        _ = try await world.run { try await state.performAction() }
        state.setNeedsTokenRefresh()
        let data = try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data))
        let tokens = try await world.run { try await read.performAction() }
        #expect(tokens.idToken == idToken && world.tokenRequests.count == 3)
    }

    @Test("A registration is read from its archive, with its secret and its other members")
    func registration() throws {
        let request = OIDRegistrationRequest(
            configuration: Values.configuration,
            redirectURIs: [World.redirect],
            responseTypes: ["code"],
            grantTypes: [OIDGrantTypeAuthorizationCode],
            subjectType: "public",
            tokenEndpointAuthMethod: "client_secret_basic",
            initialAccessToken: "initial",
            additionalParameters: ["scope": "openid"]
        )
        let response = OIDRegistrationResponse(
            request: request,
            parameters: [
                "client_id": NSString(string: "c1"), "client_secret": NSString(string: "s1"),
                "client_id_issued_at": NSNumber(value: 1_700_000_000),
                "client_secret_expires_at": NSNumber(value: 1_800_000_000),
                "registration_access_token": NSString(string: "t1"),
                "registration_client_uri": NSString(string: "https://id.example.test/register/c1"),
                "token_endpoint_auth_method": NSString(string: "client_secret_basic"),
                "refresh_token_ttl": NSNumber(value: 3600),
            ]
        )
        for data in [
            try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true),
            try Self.appAuthArchive(response),
        ] {
            let read = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDRegistrationResponse.self, from: data)
            )
            #expect(read.clientID == "c1" && read.clientSecret == "s1" && read.registrationAccessToken == "t1")
            #expect(read.clientIDIssuedAt == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(read.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(read.registrationClientURI?.absoluteString == "https://id.example.test/register/c1")
            #expect(read.tokenEndpointAuthenticationMethod == "client_secret_basic")
            #expect(read.additionalParameters?["refresh_token_ttl"] as? NSNumber == 3600)
            #expect(read.request.initialAccessToken == "initial" && read.request.redirectURIs == [World.redirect])
            #expect(read.request.grantTypes == [OIDGrantTypeAuthorizationCode] && read.request.subjectType == "public")
            #expect(read.request.responseTypes == ["code"] && read.request.additionalParameters == ["scope": "openid"])
        }
    }

    @Test("A value of another type in an archive is rejected")
    func otherTypes() throws {
        let archive = try Self.appAuthArchive(OIDTokenResponse(request: Values.tokenRequest, parameters: [:]))
        let confused = try Self.renamed(archive) { $0 == "OIDServiceConfiguration" ? "NSURL" : $0 }
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDTokenResponse.self, from: archive) != nil)
        let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: OIDTokenResponse.self, from: confused)
        #expect(read == nil)
    }

    @Test("Data that is no archive, or an archive of another class, makes no state")
    func damaged() throws {
        let other = try NSKeyedArchiver.archivedData(withRootObject: NSString(string: "x"), requiringSecureCoding: true)
        let foreign = try Self.renamed(try Self.appAuthArchive(Values.configuration)) {
            $0 == "OIDServiceConfiguration" ? "NSTask" : $0
        }
        for data in [Data("nonsense".utf8), other, foreign, Data(count: 1_048_577)] {
            let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data)
            #expect(read == nil)
        }
    }

    @Test("Every value is read from its archive unchanged")
    func values() throws {
        func again<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
            #expect(Object.supportsSecureCoding)
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
        }
        let given = try again(Values.configuration)
        #expect(
            given.tokenEndpoint == Values.configuration.tokenEndpoint && given.issuer == Values.configuration.issuer
        )
        #expect(given.registrationEndpoint == Values.configuration.registrationEndpoint)
        #expect(given.endSessionEndpoint == Values.configuration.endSessionEndpoint)
        let request = try again(Values.tokenRequest)
        #expect(request.grantType == "custom" && request.authorizationCode == "c" && request.clientSecret == "s")
        #expect(request.scope == "a b" && request.refreshToken == "r" && request.codeVerifier == "v")
        #expect(request.additionalParameters == ["p": "1"] && request.additionalHeaders == ["X-H": "2"])
        #expect(request.redirectURL == World.redirect && request.clientID == "app")
        let endSession = try again(
            OIDEndSessionRequest(
                configuration: Values.configuration,
                idTokenHint: "hint",
                postLogoutRedirectURL: World.signedOut,
                state: "s",
                additionalParameters: ["p": "1"]
            )
        )
        #expect(
            endSession.idTokenHint == "hint" && endSession.state == "s" && endSession.additionalParameters == ["p": "1"]
        )
        #expect(endSession.postLogoutRedirectURL == World.signedOut)
        let ended = try again(
            OIDEndSessionResponse(
                request: endSession,
                parameters: ["state": NSString(string: "s"), "more": NSString(string: "m")]
            )
        )
        #expect(ended.state == "s" && ended.additionalParameters?["more"] as? NSString == "m")
        let discovery = try again(try OIDServiceDiscovery(json: Values.metadata))
        #expect(discovery.discoveryDictionary.count == 8 && discovery.scopesSupported == ["openid"])
        let configuration = try again(OIDServiceConfiguration(discoveryDocument: discovery))
        #expect(configuration.discoveryDocument?.issuer == discovery.issuer)
    }

    @Test("A copy of an immutable value is the same object")
    func copies() throws {
        let discovery = try OIDServiceDiscovery(json: Values.metadata)
        #expect(discovery.copy() as AnyObject === discovery)
        #expect(Values.configuration.copy() as AnyObject === Values.configuration)
        #expect(Values.tokenRequest.copy() as AnyObject === Values.tokenRequest)
        let response = OIDTokenResponse(request: Values.tokenRequest, parameters: [:])
        #expect(response.copy() as AnyObject === response)
        let request = World.request(Values.configuration)
        #expect(request.copy() as AnyObject === request)
    }
}
