import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A clock that stands still until a test moves it.
final class MovableClock: Sendable {
    private let time = Lock(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }
    var device: DeviceClock { DeviceClock(now: { self.now }) }
    func advance(by step: Duration) { time.withLock { $0 += step / .seconds(1) } }
}

/// A generator whose values a test can foresee.
struct CountingGenerator: RandomNumberGenerator, Sendable {
    var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

enum Fixtures {
    static let issuer = "http://127.0.0.1:8080"
    static let redirectURI = "http://127.0.0.1/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Made once for all tests: an RSA key takes its time.
    static let keys: [SigningKey] = [.rs256, .es256].compactMap { try? SigningKey.generate($0) }

    /// The keys of the client that signs assertions; it is registered for the algorithm of the first.
    static let signerKeys: [SigningKey] = [.es256, .edDSA].compactMap { try? SigningKey.generate($0) }

    static func configuration(
        issuer: String = Fixtures.issuer,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> ProviderConfiguration {
        var configuration = ProviderConfiguration(
            issuer: try Issuer(issuer),
            name: "Test Provider",
            clients: try clients(),
            users: try users(),
            additionalScopes: [ProviderScope("notes", sentence: "Read your notes")],
            signingKeys: keys
        )
        change(&configuration)
        return configuration
    }

    static func clients() throws -> [RegisteredClient] {
        let web = try RedirectURI("https://app.example.com/callback?from=provider")
        return [
            RegisteredClient(
                id: "app",
                name: "The App",
                redirectURIs: [try RedirectURI(redirectURI), try RedirectURI("com.example.app:/callback")],
                postLogoutRedirectURIs: [try RedirectURI("https://app.example.com/bye")],
                requiresConsent: false
            ),
            RegisteredClient(id: "stranger", name: "<b>Stranger</b>", redirectURIs: [try RedirectURI(redirectURI)]),
            RegisteredClient(
                id: "web app",
                name: "The Web App",
                authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("p%ss: +word"))),
                redirectURIs: [web],
                allowedScopes: [.openID, .profile],
                idTokenAlgorithm: .es256,
                userInfoAlgorithm: .es256,
                requiresConsent: false
            ),
            RegisteredClient(
                id: "poster",
                name: "The Poster",
                authenticationMethod: .clientSecretPost(SecretDigest(of: Secret("posted"))),
                redirectURIs: [web],
                grantTypes: [.authorizationCode],
                requiresConsent: false
            ),
            RegisteredClient(
                id: "tv",
                name: "The Television",
                redirectURIs: [],
                grantTypes: [.deviceCode, .refreshToken],
                requiresConsent: false
            ),
            RegisteredClient(
                id: "service",
                name: "The Service",
                authenticationMethod: .clientSecretPost(SecretDigest(of: Secret("served"))),
                redirectURIs: [],
                allowedScopes: [.openID, .profile, .email, .offlineAccess, "notes"],
                grantTypes: [.clientCredentials, .tokenExchange, .refreshToken],
                requiresConsent: false
            ),
            RegisteredClient(id: "idle", name: "Idle", redirectURIs: [web], grantTypes: [], requiresConsent: false),
            RegisteredClient(
                id: "signer",
                name: "The Signer",
                authenticationMethod: .privateKeyJWT(
                    keys: JSONWebKeySet(signerKeys.map(\.publicKey)),
                    algorithm: .es256
                ),
                redirectURIs: [web],
                requiresConsent: false
            ),
        ]
    }

    static func users() throws -> [ProviderUser] {
        var random = CountingGenerator()
        return [
            ProviderUser(
                name: "alice",
                passwordHash: try PasswordHash(Secret("correct horse"), cost: .insecureForTests, using: &random),
                subject: "subject-of-alice",
                claims: [
                    "name": "Alice Adams", "preferred_username": "alice", "email": "alice@example.com",
                    "email_verified": true, "shoe_size": 38,
                ]
            ),
            ProviderUser(
                name: "bob",
                passwordHash: try PasswordHash(Secret("battery staple"), cost: .insecureForTests, using: &random),
                subject: "subject-of-bob"
            ),
        ]
    }
}
