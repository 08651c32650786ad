#if canImport(SwiftUI)
    public import SwiftUI

    /// A button that presents the sign-in page.
    ///
    /// It uses the user's language and text size. VoiceOver announces the effect of a tap, and that the button is
    /// waiting. Its look is the surrounding button style.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public struct SignInButton<Account: Sendable>: View {
        private let model: SignInModel<Account>
        private let provider: String?
        @Environment(\.locale) private var locale

        /// Makes a button.
        ///
        /// - Parameters:
        ///   - model: The model that signs in.
        ///   - provider: The provider of the account, by the name that the user knows; `nil` for no name.
        public init(_ model: SignInModel<Account>, provider: String? = nil) {
            self.model = model
            self.provider = provider
        }

        /// The button.
        public var body: some View {
            let phrases = PhraseBook(locale)
            let title = provider.map { phrases(.signInWith, $0) } ?? phrases(.signIn)
            BusyButton(title: title, waiting: isSigningIn ? phrases(.signingIn) : nil) { model.startSignIn() }
                .disabled(model.state.isBusy)
                .accessibilityHint(Text(verbatim: phrases(.signInHint)))
                .accessibilityIdentifier("ostiary.sign-in")
        }

        private var isSigningIn: Bool { if case .signingIn = model.state { true } else { false } }
    }
#endif
