import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// The story of Zephr: a reader signs in, another registers with the missing attributes, the site decides, both sign
/// out.
struct ZephrStory {
    let stage: DemoStage

    /// Plays the story.
    ///
    /// - Returns: Its result.
    func tell() async throws -> JSONObject {
        let narration = stage.narration
        narration.step("startOAuthFlow: the site names the provider's page, which a browser opens.")
        guard case .session(let session) = try await signIn(as: stage.development.userName) else {
            throw ZephrError(.malformed("the outcome"))
        }
        narration.step("Login Successful: the callback has status=success and a session id.")
        let account = try await session.account()
        narration.step("The site has confirmed whose session it is: \(account.emailAddress ?? "nobody's").")
        let entitlements = try await session.entitlements(["premium", "archive"])
        let words = entitlements.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value ? "yes" : "no")" }
        narration.step("Entitlements: \(words.joined(separator: ", ")).")
        try await session.updateProfile(["theme": "dark"], by: .merging)
        let profile = try await session.profile()
        narration.show("The reader's profile", ClaimsTable(profile).text)
        try await end(session)

        guard case .registrationRequired(let registration) = try await signIn(as: "grace") else {
            throw ZephrError(.malformed("the outcome"))
        }
        narration.step(
            "Partial Registration: the callback has status=partial and a state key; a first name is missing."
        )
        let registered = try await registration.complete(attributes: ["first_name": "Grace"])
        let newcomer = try await registered.account()
        narration.step("register(token:attributes:): registered and signed in: \(newcomer.emailAddress ?? "nobody").")
        try await end(registered)
        return [
            "reader": account.emailAddress.map { .string($0) } ?? .null,
            "newReader": newcomer.emailAddress.map { .string($0) } ?? .null,
            "premium": .bool(entitlements["premium"] ?? false), "profile": .object(profile),
            "session": "ended",
        ]
    }

    private func signIn(as name: String) async throws -> ZephrSignInOutcome {
        let narration = stage.narration
        let agent = stage.userAgent(signingInAs: name)
        let zephr = Zephr(
            try ZephrConfiguration(
                site: ZephrSite(stage.issuer.description),
                redirectURI: DevelopmentSystem.siteRedirectURI
            ),
            userAgent: agent,
            transport: commandTransport,
            store: MemoryStore(),
            events: { narration.step($0) }
        )
        let outcome = try await zephr.signIn(with: .google)
        await UserAgentOptions.settle(agent)
        return outcome
    }

    private func end(_ session: ZephrSession) async throws {
        if let failure = try await session.signOut().failure { throw failure }
        stage.narration.step("The session has ended, here and at the site.")
    }
}
