#if canImport(SwiftUI)
    public import Ostiary

    extension SignInSource where Account == Session {
        /// Signs in with a client.
        ///
        /// - Parameters:
        ///   - client: The client that signs users in and stores the session.
        ///   - request: The authorization request to send.
        ///   - redirects: The receiver of the app's URLs, when the client's user agent takes forwarded ones.
        ///   - endSession: The request that ends the provider's own session at a sign-out; `nil` leaves that session as
        ///     it is.
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
        /// The changes of the session, for a model.
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
        /// Converts a session's state to a change that matters to the user.
        fileprivate init(_ state: Session.State) {
            switch state {
            case .active: self = .current
            case .stale: self = .stale
            // The user knows of these: a sign-out or another sign-in, here or in another part of the app.
            case .ended(.userAction), .ended(.replaced), .ended(.removedElsewhere): self = .closed
            case .ended: self = .ended
            }
        }
    }
#endif
