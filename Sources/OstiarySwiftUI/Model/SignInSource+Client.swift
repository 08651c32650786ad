#if canImport(SwiftUI)
    public import Ostiary

    extension SignInSource where Account == Session {
        /// Signs in with a client.
        ///
        /// - Parameters:
        ///   - client: Who signs people in, and where the session is kept.
        ///   - request: What is asked for.
        ///   - redirects: Where the app's URLs go, when the client's user agent takes forwarded ones.
        ///   - endSession: How the provider's own session is ended at a sign-out; `nil` leaves it as it is.
        public init(
            _ client: SignInClient,
            asking request: AuthorizationRequest = AuthorizationRequest(),
            redirects: ForwardedRedirects? = nil,
            endingProviderSession endSession: EndSessionRequest? = nil
        ) {
            self.init(
                restore: { try await client.restoreSession() },
                signIn: { try await client.signIn(request) },
                signOut: { session in _ = try await session.signOut(endSession) },
                changes: { $0.changes },
                open: { redirects?.handle($0) ?? false }
            )
        }
    }

    extension Session {
        /// What becomes of the session, for a model.
        fileprivate var changes: AsyncStream<SignInSource<Session>.Change> {
            AsyncStream { continuation in
                if let end, [.revoked, .expired, .lostRotation].contains(end) { continuation.yield(.ended) }
                continuation.finish()
            }
        }
    }
#endif
