#if canImport(SwiftUI)
    public import SwiftUI

    /// Asks the person to sign in.
    ///
    /// It speaks the person's language, grows with their text size, and says by VoiceOver what a tap does and that it
    /// waits. Its look is the button style round it.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    public struct SignInButton<Account: Sendable>: View {
        private let model: SignInModel<Account>
        private let provider: String?
        @Environment(\.locale) private var locale

        /// Makes a button.
        ///
        /// - Parameters:
        ///   - model: What signs in.
        ///   - provider: Whose account it is, as the person knows it; `nil` names nobody.
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
