import Foundation
import OstiaryCurity
import OstiarySwiftUI

extension SignInSource where Account == UserAccount {
    /// Curity: this installation registers itself before its first sign-in.
    static func curity(_ environment: AppEnvironment) throws -> SignInSource {
        let curity = Curity(
            try CurityConfiguration(
                issuer: "https://idsvr.example.com/oauth/v2/oauth-anonymous",
                redirectUri: "com.example.providers://curity/callback",
                postLogoutRedirectUri: "com.example.providers://curity/signed-out"
            ),
            userAgent: environment.userAgent.expecting(environment.redirects),
            transport: environment.transport,
            store: environment.store,
            clock: environment.clock
        )
        // The tutorial's four acts, with the four fields of its errors.
        let app = CurityApp(curity)
        @Sendable func account(_ session: CuritySession) -> UserAccount {
            UserAccount(
                name: session.identity?.subject ?? "",
                facts: session.facts,
                renew: {
                    guard try await app.refresh() != nil else { throw CurityError(.ended) }
                    return session.facts
                },
                leave: { try await session.signOut() }
            )
        }
        return SignInSource(
            restore: { try await app.current().map(account) },
            signIn: {
                guard let session = try await app.signIn() else { throw CancellationError() }
                return account(session)
            },
            signOut: { try await $0.leave() },
            open: { environment.redirects.handle($0) }
        )
    }
}

extension CuritySession {
    /// The tutorial's second view, without the tokens themselves.
    fileprivate var facts: [String] {
        [
            "Scopes: \(scopes.map(\.rawValue).joined(separator: " "))",
            "Access token until \(accessTokenExpiry?.formatted(.iso8601) ?? "it is refused")",
            isRefreshable ? "The tokens can be renewed" : "The tokens cannot be renewed",
        ]
    }
}

extension SignInError {
    /// The session has ended: the user signs in again.
    fileprivate static let ended = SignInError(.refresh, .signInRequired)
}
