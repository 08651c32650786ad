import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth

/// The story of Curity: this installation registers itself, signs in, renews tokens and credentials, and signs out.
struct CurityStory {
    let stage: DemoStage

    /// Plays the story.
    ///
    /// - Returns: Its result.
    func tell() async throws -> JSONObject {
        let narration = stage.narration
        let agent = stage.userAgent()
        let curity = Curity(
            try CurityConfiguration(
                issuer: stage.issuer.description,
                redirectUri: "http://127.0.0.1/callback",
                postLogoutRedirectUri: "http://127.0.0.1/callback"
            ),
            userAgent: agent,
            transport: commandTransport,
            store: MemoryStore(),
            events: { narration.step($0) }
        )
        narration.step("1. Register: dynamic client registration, at the first start of an installation.")
        let registration = try await curity.register()
        narration.step("This installation has a client of its own, \(registration.clientID), and its own secret.")
        narration.step("2. Authenticate: code flow with PKCE in the system's browser.")
        let session = try await curity.signIn()
        await UserAgentOptions.settle(agent)
        let claims = session.identity?.claims ?? [:]
        narration.show("The verified claims of the ID token", ClaimsTable(claims).text)

        narration.step("3. Refresh the access token.")
        let before = try await session.accessToken().fingerprint
        try await session.refresh()
        let after = try await session.accessToken().fingerprint
        narration.show("The access token's fingerprint", "  \(before) → \(after)\n")

        _ = try await curity.renewRegistration()
        narration.step("The server has renewed the client's secret; both were kept before the new one was used.")
        try await session.refresh()
        narration.step("The session goes on with the new secret.")

        let userInfo = try await session.userInfo().claims
        narration.show("User info", ClaimsTable(userInfo).text)
        narration.step("4. Log out, at the end session endpoint.")
        let report = try await session.signOut()
        await UserAgentOptions.settle(agent)
        if let failure = report.revocationFailure ?? report.endSessionFailure { throw failure }
        narration.step("Signed out here and at the server; the registration stays for the next sign-in.")
        _ = try await curity.forgetDevice()
        narration.step("The client is deleted: this installation is forgotten.")
        return [
            "clientID": .string(registration.clientID), "claims": .object(claims),
            "fingerprints": .array([.string(before), .string(after)]), "userInfo": .object(userInfo),
            "revocation": "revoked", "endSession": "ended", "registration": "deleted",
        ]
    }
}
