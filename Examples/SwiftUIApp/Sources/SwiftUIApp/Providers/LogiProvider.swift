import OstiaryLogi
import OstiarySwiftUI

extension SignInSource where Account == UserAccount {
    /// logi: its own app first, the system's sheet second.
    static func logi(_ environment: AppEnvironment) throws -> SignInSource {
        let logi = try Logi(
            LogiConfiguration(clientID: "logi_example", redirectURI: "com.example.providers://oauth/1pass/callback"),
            browser: environment.userAgent,
            opener: environment.opener,
            redirects: environment.redirects,
            transport: environment.transport,
            store: environment.store,
            clock: environment.clock
        )
        @Sendable func account(_ session: Session) -> UserAccount {
            UserAccount(name: session.identity?.email ?? session.identity?.subject ?? "") {
                try await logi.signOut(session)
            }
        }
        return SignInSource(
            restore: { try await logi.restoreSession().map(account) },
            signIn: { account(try await logi.signIn()) },
            signOut: { try await $0.leave() },
            open: { logi.handle($0) }
        )
    }
}
