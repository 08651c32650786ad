import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// Stands for a claim reader that an app has of its own, as the document shows it.
private struct DocumentClaims: Decodable {
    let sub: String
    let canonicalSub: String?
    let isCanonical: Bool?
    let linkedSubs: [String]?
    let previouslyAnonymous: Bool?
    let email: String?
    let emailVerified: Bool?
    let anonymous: Bool?

    enum CodingKeys: String, CodingKey {
        case sub
        case canonicalSub = "canonical_sub"
        case isCanonical = "is_canonical"
        case linkedSubs = "linked_subs"
        case previouslyAnonymous = "previously_anonymous"
        case email
        case emailVerified = "email_verified"
        case anonymous
    }

    var effectiveSub: String { canonicalSub ?? sub }
}

/// The values that the document's sample keeps on the device.
private final class LocalStore {
    var userId: String?
    var previouslyAnonymous = false
    var wasAnonymous = false
    var log: [String] = []
    func migrateUser(from: String, to: String) { log.append("migrate \(from) \(to)") }
    func reassignData(from: String, to: String) { log.append("reassign \(from) \(to)") }
}

private final class SyncEngine {
    var uploads = 0
    func runPromotionUpload() { uploads += 1 }
}

@Suite("Snippets of logi's document", .serialized)
struct LogiSnippetTests {
    private let provider: Provider
    private let network: InProcessProvider
    private let platform: LogiAuthPlatform

    init() throws {
        let clock = TestClock()
        var random = SecureRandom()
        let password = try PasswordHash(Secret("open sesame"), cost: .insecureForTests, using: &random)
        let issuer = try Issuer("https://api.1pass.dev")
        var configuration = ProviderConfiguration.logi(issuer: issuer, password: password)
        configuration.clients[0].id = "logi_xxx"
        provider = Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        network = InProcessProvider(provider: provider)
        let browser = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "mina", password: Secret("open sesame")),
            clock: clock.device
        )
        platform = LogiAuthPlatform(
            browser: browser,
            transport: network,
            store: MemoryStore(),
            clock: clock.device
        )
    }

    @Test("The logi document's sign-in block returns the three tokens")
    func signIn() async throws {
        LogiAuth.configure(
            LogiAuthConfig(
                clientId: "logi_xxx",
                redirectURI: URL(string: "myapp://oauth/1pass/callback")!,
                scopes: ["openid", "profile:basic", "email"]
            ),
            on: platform
        )

        let result = try await LogiAuth.signIn()
        // result.idToken / result.accessToken / result.refreshToken
        #expect(!result.idToken.isEmpty && !result.accessToken.isEmpty && result.refreshToken != nil)
    }

    @Test("The logi document's configuration block compiles and configures LogiAuth")
    func configure() throws {
        LogiAuth.configure(
            LogiAuthConfig(
                clientId: "logi_xxx",
                redirectURI: URL(string: "myapp://oauth/1pass/callback")!,
                scopes: ["openid", "profile:basic", "email"]
            )
        )
        #expect(LogiAuth.handoffKind == nil && LogiAuth.lastSession == nil)
    }

    @Test("The logi document's onOpenURL block passes the URL to LogiAuth")
    func handle() throws {
        LogiAuth.configure(
            LogiAuthConfig(clientId: "logi_xxx", redirectURI: URL(string: "myapp://oauth/1pass/callback")!),
            on: platform
        )
        let onOpenURL: (URL) -> Void = { url in _ = LogiAuth.handle(url) }
        let url = URL(string: "myapp://oauth/1pass/callback?code=c&state=s")!
        onOpenURL(url)
        #expect(!LogiAuth.handle(url))
    }

    @Test("The logi document's five methods work on a session")
    func methods() async throws {
        LogiAuth.configure(
            LogiAuthConfig(clientId: "logi_xxx", redirectURI: URL(string: "myapp://oauth/1pass/callback")!),
            on: platform
        )
        let first = try await LogiAuth.signIn()
        let second = try await LogiAuth.refresh()
        #expect(first.refreshToken != second.refreshToken)
        #expect(try await LogiAuth.currentRefreshToken() == second.refreshToken)
        try await LogiAuth.signOut()
        #expect(try await LogiAuth.currentRefreshToken() == nil)
    }

    @Test("The logi document's error cases are thrown by their names")
    func errors() async throws {
        let cancelling = ScriptedUserAgent { (_, _) async throws(SignInError) -> URL in
            throw SignInError(.authorization, .cancelled)
        }
        var platform = platform
        platform.browser = cancelling
        LogiAuth.configure(
            LogiAuthConfig(clientId: "logi_xxx", redirectURI: URL(string: "myapp://oauth/1pass/callback")!),
            on: platform
        )
        do {
            _ = try await LogiAuth.signIn()
            Issue.record("nobody cancelled")
        } catch LogiAuthError.userCancelled {
        } catch LogiAuthError.handoffTimeout {
            Issue.record("a timeout")
        } catch LogiAuthError.alreadyInProgress {
            Issue.record("another one")
        } catch {
            Issue.record("another error: \(error)")
        }
    }

    @Test("The logi document's claim reader and session handling read a sign-in's tokens")
    func claims() async throws {
        LogiAuth.configure(
            LogiAuthConfig(clientId: "logi_xxx", redirectURI: URL(string: "myapp://oauth/1pass/callback")!),
            on: platform
        )
        let result = try await LogiAuth.signIn()
        let payload = try Base64URL.decode(String(result.idToken.reveal().split(separator: ".")[1]))
        let claims = try JSONDecoder().decode(DocumentClaims.self, from: Data(payload))
        #expect(claims.effectiveSub == result.claims.effectiveSub && claims.email == result.email)

        let localStore = LocalStore()
        let syncEngine = SyncEngine()
        localStore.userId = "an older account"
        localStore.wasAnonymous = true

        func handleLogiSession(_ claims: LogiClaims) {
            let canonical = claims.effectiveSub
            if let currentLocal = localStore.userId, currentLocal != canonical {
                localStore.migrateUser(from: currentLocal, to: canonical)
            }
            localStore.userId = canonical

            if claims.previouslyAnonymous == true {
                localStore.previouslyAnonymous = true
            }

            if claims.isCanonical == true, let linked = claims.linkedSubs, !linked.isEmpty {
                for absorbed in linked {
                    localStore.reassignData(from: absorbed, to: claims.sub)
                }
            }

            if claims.anonymous == false, localStore.wasAnonymous {
                syncEngine.runPromotionUpload()
                localStore.wasAnonymous = false
            }
        }
        handleLogiSession(result.claims)
        #expect(localStore.log == ["migrate an older account 8c1f0a52-mina"])
        #expect(syncEngine.uploads == 1 && localStore.userId == "8c1f0a52-mina")
    }
}
