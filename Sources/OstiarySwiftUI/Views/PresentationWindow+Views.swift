#if canImport(SwiftUI) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Ostiary

    extension PresentationWindow {
        /// The window that the views of a model stand in, as `signIn(_:)` reads it.
        public static func views(_ window: SignInWindow) -> PresentationWindow { .window { window.current } }
    }
#endif
