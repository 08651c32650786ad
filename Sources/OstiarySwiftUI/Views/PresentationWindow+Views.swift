#if canImport(SwiftUI) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Ostiary

    extension PresentationWindow {
        /// The window that the views of a model stand in, as `signIn(_:)` reads it: of several, the one that the person looks
        /// at.
        ///
        /// It is waited for, at most for five seconds: an app that signs in as soon as its first view is made is not in front
        /// yet.
        public static func views(_ window: SignInWindow) -> PresentationWindow {
            .window(askingAgainAt: { window.moments() }) { window.current }
        }
    }
#endif
