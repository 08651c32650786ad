import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth

/// The story of Logto: sign-in, claims, tokens for an API and an organization, a closed organization, sign-out.
struct LogtoStory {
    private static let api = "https://shopping.your-app.com/api"

    let stage: DemoStage

    /// Plays the story.
    ///
    /// - Returns: Its result.
    func tell() async throws -> JSONObject {
        let narration = stage.narration
        let agent = stage.userAgent()
        let scopes: [UserScope] = [.email, .customData, .roles, .organizations, .organizationRoles]
        let logto = try Logto(
            LogtoConfig(
                endpoint: stage.origin.description,
                appId: "logto-app",
                scopes: scopes.map(\.rawValue) + ["shopping:read"],
                resources: [Self.api],
                usingPersistStorage: false
            ),
            redirectURI: "http://127.0.0.1/callback",
            userAgent: agent,
            transport: commandTransport,
            events: { narration.step($0) }
        )
        narration.step("Init LogtoClient, then sign in with a redirect URI of this machine:")
        let session = try await logto.signIn()
        await UserAgentOptions.settle(agent)
        narration.show("The verified claims of the ID token", ClaimsTable(session.claims?.claims ?? [:]).text)
        narration.step("Request additional claims: email, custom data, roles, organizations; fetch the user info.")
        let info = try await session.userInfo()
        narration.show("User info", ClaimsTable(info.claims).text)

        narration.step("API resources and organizations: a token for each audience.")
        let forAPI = try await session.accessTokenClaims(for: Self.api)
        narration.step("The token for \(Self.api) says: audience \(forAPI?.audience.first ?? "none").")
        let forOrganization = try await session.accessTokenClaims(organizationID: "acme")
        narration.step(
            "The token for the organization acme says: audience \(forOrganization?.audience.first ?? "none")."
        )
        let refusal = await refusalOfVault(session)
        narration.step("The organization vault wants a second factor: \(refusal). The session goes on.")
        try await session.session.refresh()
        narration.step("Every token comes from one refresh token, which is renewed one use after the other.")

        let report = try await session.signOut(returningTo: "http://127.0.0.1/callback")
        await UserAgentOptions.settle(agent)
        if let failure = report.revocationFailure ?? report.endSessionFailure { throw failure }
        narration.step("Signed out: here, then the refresh token, then the tenant's own session.")
        return [
            "claims": .object(session.claims?.claims ?? [:]), "userInfo": .object(info.claims),
            "apiAudience": .string(forAPI?.audience.first ?? ""),
            "organizationAudience": .string(forOrganization?.audience.first ?? ""), "closed": .string(refusal),
            "revocation": "revoked", "endSession": "ended",
        ]
    }

    private func refusalOfVault(_ session: LogtoSession) async -> String {
        do throws(SignInError) {
            _ = try await session.organizationToken(for: "vault")
            return "it was open"
        } catch {
            guard case .refused(let refusal) = error.reason else { return error.message }
            return refusal.code.rawValue
        }
    }
}
