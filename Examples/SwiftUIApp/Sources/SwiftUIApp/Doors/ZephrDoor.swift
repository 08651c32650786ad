import OstiarySwiftUI
import OstiaryZephr

extension SignInSource where Account == Visitor {
    /// Zephr: a reader of a news site comes in with a social provider's account.
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
                case .registrationRequired: throw IncompleteRegistration()
                }
            },
            // A redirect of Zephr's has no state that would tell it from a stranger's: only the sheet brings one.
            signOut: { try await $0.leave() }
        )
    }
}

/// The site wants to know more of the reader than the social provider has told; this app has no form for it.
struct IncompleteRegistration: PresentableError {
    var recovery: SignInError.Recovery { .none }
    var advice: SignInFailure.Advice { .askForAccess }
}

extension ZephrError: @retroactive PresentableError {
    /// What the person can do.
    public var advice: SignInFailure.Advice {
        reason == .cancelled ? .nothing : SignInFailure.Advice(recovery)
    }
}
