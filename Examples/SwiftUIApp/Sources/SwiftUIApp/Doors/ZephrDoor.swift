import OstiarySwiftUI
import OstiaryZephr

extension SignInSource where Account == Visitor {
    /// Zephr: a reader of a news site comes in with a social provider's account, a new one after a form.
    static func zephr(_ surroundings: Surroundings) throws -> SignInSource {
        let zephr = Zephr(
            try ZephrConfiguration(
                site: ZephrSite("https://news.example.com"),
                redirectURI: "https://app.example.com/oauthredirect"
            ),
            userAgent: surroundings.privateUserAgent,
            transport: surroundings.transport,
            store: surroundings.store,
            clock: surroundings.clock
        )
        @Sendable func visitor(_ session: ZephrSession) async throws -> Visitor {
            Visitor(name: try await session.account().emailAddress ?? "") { _ = try await session.signOut() }
        }
        return SignInSource(
            restore: {
                guard let session = try await zephr.restoreSession() else { return nil }
                return try await visitor(session)
            },
            signIn: {
                switch try await zephr.signIn(with: .google) {
                case .session(let session): return try await visitor(session)
                case .registrationRequired(let registration):
                    return try await visitor(try await surroundings.form.complete(registration))
                }
            },
            // A redirect of Zephr's has no state that would tell it from a stranger's: only the sheet brings one.
            signOut: { try await $0.leave() }
        )
    }
}
