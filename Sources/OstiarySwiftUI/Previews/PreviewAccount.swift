#if canImport(SwiftUI) && DEBUG
    public import Ostiary

    /// Somebody who is signed in as far as a preview is concerned.
    ///
    /// It is in debug builds only: nothing of it can reach a person.
    public struct PreviewAccount: Sendable, Hashable {
        /// Their name.
        public var name: String

        /// Makes somebody up.
        public init(name: String = "Ada Lovelace") { self.name = name }
    }

    extension SignInSource where Account == PreviewAccount {
        /// What a scripted sign-in does; nothing is opened and nothing is sent.
        public enum Script: Sendable {
            /// Signs in at once.
            case succeeding(PreviewAccount = PreviewAccount())
            /// Somebody was signed in when the app ended.
            case restoring(PreviewAccount = PreviewAccount())
            /// The page never ends.
            case waiting
            /// The person closes the page.
            case cancelling
            /// The device is locked.
            case locked
            /// It goes wrong.
            case failing(SignInError)
        }

        /// Follows a script.
        public static func preview(_ script: Script) -> SignInSource {
            SignInSource(
                restore: {
                    switch script {
                    case .restoring(let account): return account
                    case .locked: throw SignInError(.storage, .storage(.locked))
                    default: return nil
                    }
                },
                signIn: {
                    switch script {
                    case .succeeding(let account), .restoring(let account): return account
                    case .waiting:
                        try await Task.sleep(for: .seconds(86_400))
                        throw CancellationError()
                    case .cancelling: throw SignInError(.authorization, .cancelled)
                    case .locked: throw SignInError(.storage, .storage(.locked))
                    case .failing(let error): throw error
                    }
                },
                signOut: { _ in }
            )
        }
    }
#endif
