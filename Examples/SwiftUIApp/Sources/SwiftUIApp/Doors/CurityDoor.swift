import Foundation
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
        // The tutorial's four acts, with the four fields of its errors.
        let app = CurityApp(curity)
        @Sendable func visitor(_ session: CuritySession) -> Visitor {
            Visitor(
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
            restore: { try await app.current().map(visitor) },
            signIn: {
                guard let session = try await app.signIn() else { throw CancellationError() }
                return visitor(session)
            },
            signOut: { try await $0.leave() },
            open: { surroundings.redirects.handle($0) }
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
    /// The session has ended: the person signs in again.
    fileprivate static let ended = SignInError(.refresh, .signInRequired)
}
