#if canImport(SwiftUI) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Ostiary

    extension PresentationWindow {
        /// The window of a model's views, as `signIn(_:)` reports it; of several, the one in front of the user.
        ///
        /// It is awaited for at most five seconds: an app that signs in as soon as its first view is made is not active
        /// yet.
        public static func views(_ window: SignInWindow) -> PresentationWindow {
            .window(askingAgainAt: { window.moments() }) { window.current }
        }
    }
#endif
