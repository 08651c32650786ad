#if canImport(SwiftUI) && DEBUG
    public import Ostiary

    /// An account that is signed in for a preview.
    ///
    /// It exists in debug builds only, so no user can see it.
    public struct PreviewAccount: Sendable, Hashable {
        /// The user's name.
        public var name: String

        /// Makes an account.
        public init(name: String = "Ada Lovelace") { self.name = name }
    }

    extension SignInSource where Account == PreviewAccount {
        /// The script of a sign-in, which opens and sends nothing.
        public enum Script: Sendable {
            /// Signs in at once.
            case succeeding(PreviewAccount = PreviewAccount())
            /// An account was signed in when the app ended.
            case restoring(PreviewAccount = PreviewAccount())
            /// The page never ends.
            case waiting
            /// The user closes the page.
            case cancelling
            /// The device is locked.
            case locked
            /// The sign-in fails.
            case failing(SignInError)
        }

        /// Makes a source that follows a script.
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
