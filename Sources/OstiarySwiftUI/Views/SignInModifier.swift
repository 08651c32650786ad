#if canImport(SwiftUI)
    import Foundation
    public import SwiftUI

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    extension View {
        /// Connects an app's views with its model: apply it once, around everything in a window.
        ///
        /// It looks for a stored session, and looks again after a locked device was unlocked. It reports the window of
        /// the views to the model. It passes the URLs and universal links that the app is opened with to the sign-in
        /// that awaits them. It presents failures to the user, with advice.
        public func signIn<Account: Sendable>(_ model: SignInModel<Account>) -> some View {
            modifier(SignInModifier(model: model))
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    private struct SignInModifier<Account: Sendable>: ViewModifier {
        @Bindable var model: SignInModel<Account>
        @Environment(\.scenePhase) private var scenePhase
        @Environment(\.locale) private var locale

        func body(content: Content) -> some View {
            content
                .background { WindowReader(window: model.window).accessibilityHidden(true) }
                .onAppear { model.cameToFront() }
                .onChange(of: scenePhase) { _, phase in
                    if phase == .active { model.cameToFront() }
                }
                .onOpenURL { url in model.open(url) }
                .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                    if let url = activity.webpageURL { model.open(url) }
                }
                .alert(
                    Text(verbatim: model.failure?.title(in: locale) ?? ""),
                    isPresented: $model.hasFailure,
                    presenting: model.failure
                ) { failure in
                    actions(for: failure)
                } message: { failure in
                    Text(verbatim: failure.message(in: locale))
                }
        }

        @ViewBuilder
        private func actions(for failure: SignInFailure) -> some View {
            let phrases = PhraseBook(locale)
            if failure.canRetry {
                switch failure.occasion {
                case .signIn: Button(phrases(.tryAgain)) { model.startSignIn() }
                case .signOut: Button(phrases(.tryAgain)) { model.startSignOut() }
                case .restore, .sessionEnd: Button(phrases(.signInAgainAction)) { model.startSignIn() }
                }
            }
            Button(phrases(.close), role: .cancel) {}
        }
    }
#endif
