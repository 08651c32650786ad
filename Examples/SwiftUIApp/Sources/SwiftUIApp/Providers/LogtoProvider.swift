import OstiaryLogto
import OstiarySwiftUI

extension SignInSource where Account == UserAccount {
    /// Logto: the browser's session is ended, too.
    static func logto(_ environment: AppEnvironment) throws -> SignInSource {
        let logto = try Logto(
            LogtoConfig(endpoint: "https://example.logto.app", appId: "logto-app"),
            redirectURI: "com.example.providers://logto/callback",
            userAgent: environment.userAgent,
            redirects: environment.redirects,
            transport: environment.transport,
            store: environment.store,
            clock: environment.clock
        )
        @Sendable func account(_ session: LogtoSession) -> UserAccount {
            UserAccount(name: session.claims?.name ?? session.claims?.sub ?? "") {
                try await session.signOut(returningTo: "com.example.providers://logto/signed-out")
            }
        }
        return SignInSource(
            restore: { try await logto.restoreSession().map(account) },
            signIn: { account(try await logto.signIn()) },
            signOut: { try await $0.leave() },
            open: { logto.handle($0) }
        )
    }
}
