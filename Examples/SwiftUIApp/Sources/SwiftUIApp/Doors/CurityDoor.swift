import OstiaryCurity
import OstiarySwiftUI

extension SignInSource where Account == Visitor {
    /// Curity: this installation registers itself before its first sign-in.
    static func curity(_ surroundings: Surroundings) throws -> SignInSource {
        let curity = Curity(
            try CurityConfiguration(
                issuer: "https://idsvr.example.com/oauth/v2/oauth-anonymous",
                redirectUri: "com.example.fivedoors://curity/callback",
                postLogoutRedirectUri: "com.example.fivedoors://curity/signed-out"
            ),
            userAgent: surroundings.userAgent.expecting(surroundings.redirects),
            transport: surroundings.transport,
            store: surroundings.store,
            clock: surroundings.clock
        )
        @Sendable func visitor(_ session: CuritySession) -> Visitor {
            Visitor(name: session.identity?.subject ?? "", facts: session.scopes.map(\.rawValue)) {
                try await session.signOut()
            }
        }
        return SignInSource(
            restore: { try await curity.restoreSession().map(visitor) },
            signIn: { visitor(try await curity.signIn()) },
            signOut: { try await $0.leave() },
            open: { surroundings.redirects.handle($0) }
        )
    }
}
