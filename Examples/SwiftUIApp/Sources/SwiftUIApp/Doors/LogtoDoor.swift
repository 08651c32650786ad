import OstiaryLogto
import OstiarySwiftUI

extension SignInSource where Account == Visitor {
    /// Logto: the browser's session is ended, too.
    static func logto(_ surroundings: Surroundings) throws -> SignInSource {
        let logto = try Logto(
            LogtoConfig(endpoint: "https://example.logto.app", appId: "logto-app"),
            redirectURI: "com.example.fivedoors://logto/callback",
            userAgent: surroundings.userAgent,
            redirects: surroundings.redirects,
            transport: surroundings.transport,
            store: surroundings.store,
            clock: surroundings.clock
        )
        @Sendable func visitor(_ session: LogtoSession) -> Visitor {
            Visitor(name: session.claims?.name ?? session.claims?.sub ?? "") {
                try await session.signOut(returningTo: "com.example.fivedoors://logto/signed-out")
            }
        }
        return SignInSource(
            restore: { try await logto.restoreSession().map(visitor) },
            signIn: { visitor(try await logto.signIn()) },
            signOut: { try await $0.leave() },
            open: { logto.handle($0) }
        )
    }
}
