#if canImport(SwiftUI)
    public import SwiftUI

    /// A button that ends the session of the user who is signed in.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public struct SignOutButton<Account: Sendable>: View {
        private let model: SignInModel<Account>
        @Environment(\.locale) private var locale

        /// Makes a button.
        public init(_ model: SignInModel<Account>) { self.model = model }

        /// The button.
        public var body: some View {
            let phrases = PhraseBook(locale)
            BusyButton(title: phrases(.signOut), waiting: isSigningOut ? phrases(.signingOut) : nil) {
                model.startSignOut()
            }
            .disabled(model.state.isBusy)
            .accessibilityHint(Text(verbatim: phrases(.signOutHint)))
            .accessibilityIdentifier("ostiary.sign-out")
        }

        private var isSigningOut: Bool { if case .signingOut = model.state { true } else { false } }
    }
#endif
