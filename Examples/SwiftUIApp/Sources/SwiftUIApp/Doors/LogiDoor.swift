import OstiaryLogi
import OstiarySwiftUI

extension SignInSource where Account == Visitor {
    /// logi: its own app first, the system's sheet second.
    static func logi(_ surroundings: Surroundings) throws -> SignInSource {
        let logi = try Logi(
            LogiConfiguration(clientID: "logi_example", redirectURI: "com.example.fivedoors://oauth/1pass/callback"),
            browser: surroundings.userAgent,
            opener: surroundings.opener,
            redirects: surroundings.redirects,
            transport: surroundings.transport,
            store: surroundings.store,
            clock: surroundings.clock
        )
        @Sendable func visitor(_ session: Session) -> Visitor {
            Visitor(name: session.identity?.claims["email"]?.string ?? session.identity?.subject ?? "") {
                try await logi.signOut(session)
            }
        }
        return SignInSource(
            restore: { try await logi.restoreSession().map(visitor) },
            signIn: { visitor(try await logi.signIn()) },
            signOut: { try await $0.leave() },
            open: { logi.handle($0) }
        )
    }
}
