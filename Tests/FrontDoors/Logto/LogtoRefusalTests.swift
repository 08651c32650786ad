import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Logto: answers that are refused")
struct LogtoRefusalTests {
    private func failure(
        _ scenario: Scenario = .none,
        keys: [SigningKey] = [LogtoWorld.key],
        changing change: @escaping @Sendable (URL) throws(SignInError) -> URL = { (url) throws(SignInError) in url }
    ) async throws -> (SignInError?, LogtoWorld) {
        let world = try LogtoWorld(scenario: scenario, keys: keys)
        let logto = try world.logto(userAgent: world.person(changing: change))
        let error = await thrownError { () throws(SignInError) in _ = try await logto.signIn() }
        if error != nil { #expect(try await logto.restoreSession() == nil) }
        return (error, world)
    }

    @Test("Metadata of another issuer is rejected before a page is opened", .covers(.logto, rows: 2, cites: "G-14"))
    func otherIssuer() async throws {
        let (error, world) = try await failure(.issuerMismatch)
        #expect(error == SignInError(.discovery, .mismatch(.metadataIssuer)))
        #expect(error?.logtoFailure == .discoveryFailed && world.pages.urls.isEmpty)
    }

    @Test(
        "A redirect to a place other than the redirect URI is rejected, and no code is sent",
        .covers(.logto, rows: 22, cites: "G-1"),
        arguments: [
            "io.logto.app://callback-evil", "io.logto.app://callback/evil", "io.logto.app://callback.evil",
            "io.logto.app:/callback", "io.logto.app://user@callback", "io.logto.appx://callback",
        ]
    )
    func otherPlace(place: String) async throws {
        let (error, world) = try await failure(changing: { (url) throws(SignInError) in
            URL(string: url.absoluteString.replacing("io.logto.app://callback", with: place))!
        })
        #expect(error == SignInError(.redirect, .mismatch(.redirectURI)))
        #expect(error?.logtoFailure == .callbackMismatch && world.count("/token") == 0)
    }

    @Test(
        "A redirect matches the redirect URI's scheme and host in any case",
        .covers(.logto, rows: 22)
    )
    func placeInCapitals() async throws {
        let (error, _) = try await failure(changing: { (url) throws(SignInError) in
            URL(string: url.absoluteString.replacing("io.logto.app://callback", with: "IO.Logto.App://CallBack"))!
        })
        #expect(error == nil)
    }

    @Test(
        "A redirect with a wrong, repeated or missing state is rejected",
        .covers(.logto, rows: 5, cites: "G-2"),
        arguments: [
            (Scenario.invalidState, SignInError.Check.state), (.missingState, .state),
            (.repeatedState, .repeatedParameter),
            (.repeatedCode, .repeatedParameter),
        ] as [(Scenario, SignInError.Check)]
    )
    func state(_ scenario: Scenario, _ check: SignInError.Check) async throws {
        let (error, world) = try await failure(scenario)
        #expect(error == SignInError(.redirect, .mismatch(check)) && world.count("/token") == 0)
        #expect(error?.logtoFailure == (check == .state ? .stateMismatch : .callbackMismatch))
    }

    @Test(
        "An error in a redirect with another state is rejected for its state",
        .covers(.logto, rows: 5, cites: "G-2")
    )
    func errorBeforeState() async throws {
        let (error, _) = try await failure(changing: { (_) throws(SignInError) in
            URL(string: "io.logto.app://callback?error=access_denied&state=guessed")!
        })
        #expect(error == SignInError(.redirect, .mismatch(.state)))
    }

    @Test("A redirect with another or a missing issuer is rejected", .covers(.logto, rows: 8))
    func redirectIssuer() async throws {
        for scenario in [Scenario.invalidResponseIssuer, .missingResponseIssuer] {
            let (error, _) = try await failure(scenario)
            #expect(error == SignInError(.redirect, .mismatch(.issuer)) && error?.logtoFailure == .issuerMismatch)
        }
    }

    @Test("A redirect with neither a code nor an error is malformed", .covers(.logto, rows: 3))
    func missingCode() async throws {
        let (error, _) = try await failure(.missingCode)
        #expect(error == SignInError(.redirect, .malformed("code")) && error?.logtoFailure == .missingCode)
    }

    @Test(
        "An ID token that fails a check is rejected with its Logto failure",
        .covers(.logto, rows: 6, 27, 28, 29, cites: "G-3", "G-4", "G-10"),
        // Logto's ID tokens are at most a minute old: an expired one fails for its iat first.
        arguments: SignInFault.idToken.filter { $0.scenario.name != Scenario.expired.name }
    )
    func idToken(_ fault: SignInFault) async throws {
        let (error, _) = try await failure(fault.scenario)
        guard case .mismatch(let check)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error == fault.error)
        #expect(error?.logtoFailure == (check == .issuer ? .issuerMismatch : .idTokenInvalid(check)))
    }

    @Test(
        "An ID token is accepted until its expiry and one clock tolerance beyond",
        .covers(.logto, rows: 30),
        arguments: [(-61, false), (-60, false), (-59, true), (0, true), (60, true)]
    )
    func expiry(offset: Int, isAccepted: Bool) async throws {
        let scenario = Scenario(name: "exp-edge") { scenario in
            scenario.idToken = { draft in
                let made = draft.claims["iat"]?.integer ?? 0
                draft.claims["exp"] = .integer(made + offset)
                draft.claims["iat"] = .integer(made - 120)
            }
        }
        let (error, _) = try await failure(scenario)
        #expect(error == (isAccepted ? nil : SignInError(.identity, .mismatch(.expiry))))
    }

    @Test("An audience in a list of one is accepted", .covers(.logto, rows: 28, cites: "G-5"))
    func audienceList() async throws {
        let scenario = Scenario(name: "aud-list") { scenario in
            scenario.idToken = { $0.claims["aud"] = ["logto-app"] }
        }
        let world = try LogtoWorld(scenario: scenario)
        let claims = try #require(try await world.logto().signIn().claims)
        #expect(claims.aud == "logto-app" && claims.audience == ["logto-app"])
    }

    @Test(
        "Every signature algorithm of Logto is verified",
        .covers(.logto, rows: 27, cites: "G-4"),
        arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .es384, .es512]
    )
    func algorithms(_ algorithm: SignatureAlgorithm) async throws {
        let key = try #require(LogtoKeys.all[algorithm])
        let world = try LogtoWorld(keys: [key])
        let session = try await world.logto().signIn()
        #expect(session.session.identity != nil)
        try await session.session.refresh()
        let (error, _) = try await failure(.invalidSignature, keys: [key])
        #expect(error == SignInError(.identity, .mismatch(.signature)))
    }

    @Test(
        "An issuer that signs with EdDSA alone is refused before a page is opened",
        .covers(.logto, rows: 27)
    )
    func edDSA() async throws {
        let (error, _) = try await failure(keys: [try SigningKey.generate(.edDSA)])
        // The metadata says so before a page is presented.
        guard case .unsupported(let feature)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .authorization && feature.contains("has EdDSA, the client allows ES256 ES384"))
    }

    @Test(
        "Unknown and symmetric keys in the tenant's key set are ignored",
        .covers(.logto, rows: 31, cites: "G-4")
    )
    func otherKeys() async throws {
        let (error, _) = try await failure(.keySetDecoys)
        #expect(error == nil)
        let (other, _) = try await failure(
            Scenario(name: "symmetric-key") { scenario in
                scenario.keySet = { document in
                    let keys = document["keys"]?.array ?? []
                    document["keys"] = .array(
                        [.object(["kty": "oct", "kid": "logto-key", "k": "c2VjcmV0"]), .object(["kty": "new"])] + keys
                    )
                }
            }
        )
        #expect(other == nil)
    }

    @Test("An ID token without at_hash is accepted, at sign-in and at refresh", .covers(.logto, rows: 29))
    func noAccessTokenHash() async throws {
        let world = try LogtoWorld(scenario: .missingAccessTokenHash)
        let session = try await world.logto().signIn()
        #expect(session.claims?.atHash == nil)
        try await session.session.refresh()
    }

    @Test(
        "A clock skew up to the configured tolerance is accepted, five minutes at most",
        .covers(.logto, rows: 30),
        arguments: [
            (nil, 55, true), (nil, 65, false), (.seconds(300), 290, true), (.seconds(300), 310, false),
            (.seconds(9_000), 310, false),
        ]
            as [(Duration?, Int, Bool)]
    )
    func clockSkew(tolerance: Duration?, lead: Int, isAccepted: Bool) async throws {
        let scenario = Scenario(name: "lead") { scenario in
            scenario.idToken = { $0.claims["iat"] = .integer(($0.claims["iat"]?.integer ?? 0) + lead) }
        }
        let world = try LogtoWorld(scenario: scenario)
        let logto = try world.logto(try world.config { if let tolerance { $0.clockTolerance = tolerance } })
        let error = await thrownError { () throws(SignInError) in _ = try await logto.signIn() }
        #expect(error == (isAccepted ? nil : SignInError(.identity, .mismatch(.issuedAt))))
    }

    @Test("A device whose clock is two hours fast signs in", .covers(.logto, rows: 30))
    func wrongClock() async throws {
        let world = try LogtoWorld()
        let clock = world.clock
        let device = DeviceClock(
            now: { clock.now.addingTimeInterval(7200) },
            uptime: { clock.now.timeIntervalSince1970 }
        )
        let session = try await world.logto(device: device).signIn()
        #expect(session.claims != nil)
    }

    @Test(
        "A token response without its optional members is accepted",
        .covers(.logto, rows: 16, cites: "G-22"),
        arguments: [Scenario.missingScope, .missingLifetime, .textualLifetime, .tokenTypeCase]
    )
    func lenientResponse(_ scenario: Scenario) async throws {
        let world = try LogtoWorld(scenario: scenario)
        let session = try await world.logto().signIn()
        _ = try await session.accessToken()
        #expect(session.session.scopes.contains(.profile))
    }

    @Test("A redirect of the token endpoint is rejected, and not followed", .covers(.logto, rows: 16))
    func redirecting() async throws {
        let (error, _) = try await failure(.redirectingTokenEndpoint)
        #expect(error == SignInError(.token, .transport(.redirectRefused)))
    }
}

/// One key of each kind that Logto signs with.
enum LogtoKeys {
    static let all: [SignatureAlgorithm: SigningKey] = {
        var keys: [SignatureAlgorithm: SigningKey] = [:]
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .es384, .es512] {
            keys[algorithm] = try? SigningKey.generate(algorithm)
        }
        return keys
    }()
}
