import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import ProviderServer

/// The story of logi: verified claims, a device's key, a start URL of the backend's, sign-out.
struct LogiStory {
    private static let redirectURI = "http://127.0.0.1/callback"

    let stage: DemoStage

    /// Plays the story.
    ///
    /// - Returns: Its result.
    func tell() async throws -> JSONObject {
        let narration = stage.narration
        let agent = stage.userAgent()
        narration.step("Custom scheme required: this machine has a loopback redirect instead, \(Self.redirectURI).")
        narration.step("First-Try App-to-App: logi has no app on this machine, so a browser shows the page. Sign in:")
        let logi = try Logi(
            LogiConfiguration(
                clientID: LogiDevelopment.clientID,
                redirectURI: Self.redirectURI,
                issuer: stage.issuer.description,
                scopes: LogiPreset.scopes + [.profileWrite]
            ),
            browser: agent,
            transport: commandTransport,
            store: MemoryStore(),
            events: { narration.step($0) }
        )
        let session = try await logi.signIn()
        await UserAgentOptions.settle(agent)
        let claims = try session.logiClaims()
        narration.show("The verified claims of the ID token", ClaimsTable(session.identity?.claims ?? [:]).text)

        narration.step("Refresh Token (Keychain): the store of this demo ends with it; an app's is the keychain.")
        let before = try await session.accessToken().fingerprint
        try await session.refresh()
        let after = try await session.accessToken().fingerprint
        narration.show("The access token's fingerprint", "  \(before) → \(after)\n")

        let device = logi.deviceBootstrap()
        _ = try await device.run(on: .macOS)
        narration.step("Device Bootstrap (device_secret): the server has sent the secret once, and it is stored.")
        _ = try await device.run(on: .macOS)
        narration.step("Called again, the device shows the secret and gets a new key.")

        let transition = AccountTransition(from: nil, to: claims)
        narration.step("canonical_sub & linked_subs: local data belongs to the account \(transition.account.id).")

        let key = try await logi.deviceExchange().key(for: session, on: .macOS)
        narration.step(
            "For the signed-in user the device has a key of its own now, \(key.value.fingerprint), for \(key.scopes.text)."
        )
        _ = try await logi.deviceExchange().key(for: session, on: .macOS)
        narration.step("On a second request the device authenticates with the secret that it received once.")

        let subject = try await signInThroughBackend(logi)
        narration.step("The backend has redeemed the code and knows who signed in: \(subject).")
        await UserAgentOptions.settle(agent)

        let report = try await logi.signOut(session)
        if let failure = report.revocationFailure { throw failure }
        narration.step("The tokens are revoked.")
        return [
            "claims": .object(session.identity?.claims ?? [:]), "account": .string(transition.account.id),
            "fingerprints": .array([.string(before), .string(after)]), "deviceKeyScopes": .string(key.scopes.text),
            "backendSubject": .string(subject), "revocation": "revoked",
        ]
    }

    /// Signs in through a backend.
    ///
    /// The backend makes the page's URL and keeps the values that the response is checked against. The app presents the
    /// page and returns a code that it cannot redeem.
    private func signInThroughBackend(_ logi: Logi) async throws -> String {
        let context = ExchangeContext()
        let server = try await commandTransport.perform(ServerMetadataRequest(stage.issuer), in: context)
        let backend = try Client(
            id: LogiDevelopment.backendClientID,
            redirectURI: try RedirectURI(Self.redirectURI),
            authentication: .clientSecretPost(stage.development.backendSecret)
        )
        var random = SecureRandom()
        let pending = try AuthorizationRequest(scopes: LogiPreset.scopes).prepared(
            for: backend,
            at: server,
            using: &random
        )
        let callback = try await logi.authorize(try LogiStartURL(pending.url))
        stage.narration.step("The app hands the code and its state to the backend, and keeps neither.")
        let answer = Parameters([.code: callback.code.reveal(), .state: callback.state.reveal()])
        guard let redirect = URL(string: Self.redirectURI + "?" + FormURLEncoding.encode(answer)) else {
            throw SignInError(.redirect, .malformed("the redirect"))
        }
        let response = try await commandTransport.perform(try pending.grant(from: redirect).exchange(), in: context)
        let keys = try await commandTransport.perform(KeySetRequest(server), in: context)
        guard case .keys(let keySet) = keys.content else { throw SignInError(.keys, .malformed("the key set")) }
        return try response.validated(by: keySet, now: .now).identity?.subject ?? ""
    }
}
