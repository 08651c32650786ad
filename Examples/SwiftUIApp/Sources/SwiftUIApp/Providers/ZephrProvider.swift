import OstiarySwiftUI
import OstiaryZephr

extension SignInSource where Account == UserAccount {
    /// Zephr: a reader of a news site signs in with a social provider's account, a new one after a form.
    static func zephr(_ environment: AppEnvironment) throws -> SignInSource {
        let zephr = Zephr(
            try ZephrConfiguration(
                site: ZephrSite("https://news.example.com"),
                redirectURI: "https://app.example.com/oauthredirect"
            ),
            userAgent: environment.privateUserAgent,
            transport: environment.transport,
            store: environment.store,
            clock: environment.clock
        )
        @Sendable func account(_ session: ZephrSession) async throws -> UserAccount {
            UserAccount(name: try await session.account().emailAddress ?? "") { _ = try await session.signOut() }
        }
        return SignInSource(
            restore: {
                guard let session = try await zephr.restoreSession() else { return nil }
                return try await account(session)
            },
            signIn: {
                switch try await zephr.signIn(with: .google) {
                case .session(let session): return try await account(session)
                case .registrationRequired(let registration):
                    return try await account(try await environment.form.complete(registration))
                }
            },
            // A redirect of Zephr's has no state that tells it from an attacker's: only the sheet returns one.
            signOut: { try await $0.leave() }
        )
    }
}
