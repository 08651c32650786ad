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
            let states = states
            return AsyncStream { continuation in
                let following = Task {
                    for await state in states { continuation.yield(.init(state)) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in following.cancel() }
            }
        }
    }

    extension SignInSource.Change {
        /// What a session's state means for whoever is in front of the app.
        fileprivate init(_ state: SessionState) {
            switch state {
            case .active: self = .current
            case .stale: self = .stale
            // The person knows of these: they signed out or in again, here or in another part of the app.
            case .ended(.userAction), .ended(.replaced), .ended(.removedElsewhere): self = .closed
            case .ended: self = .ended
            }
        }
    }
#endif
