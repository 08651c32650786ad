#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import OstiaryOAuth

    #if canImport(UIKit)
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// Where a sheet goes up.
    ///
    /// It is asked once for each attempt, on the main actor; no window is ever made up.
    public struct PresentationWindow: Sendable {
        /// How long an app that is just being opened, or come back to, may take to be in front.
        static let patience = Duration.seconds(5)

        private let find: @MainActor @Sendable () -> ASPresentationAnchor?
        private let waitsForActivation: Bool

        private init(
            waitsForActivation: Bool,
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            self.waitsForActivation = waitsForActivation
            self.find = find
        }

        /// The key window of the scene that is in front; of an app that is not in front yet, after at most five seconds.
        ///
        /// Only windows at the normal level are taken: one of an alert or a notification goes away. An app extension has no
        /// such window: give one there.
        public static let frontmost = PresentationWindow(waitsForActivation: true) {
            SystemApplication.current?.frontmostWindow
        }

        /// The window that the app says; `nil` when it is gone.
        public static func window(
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) -> PresentationWindow {
            PresentationWindow(waitsForActivation: false, find)
        }

        #if canImport(UIKit)
            /// The key window of the scene that the app says; `nil` when it is gone.
            public static func scene(
                _ find: @escaping @MainActor @Sendable () -> UIWindowScene?
            ) -> PresentationWindow {
                PresentationWindow(waitsForActivation: false) { find()?.windowForSheets }
            }
        #endif

        /// The window.
        ///
        /// - Throws: `windowMissing` when there is none, and `cancelled`.
        func found() async throws(SignInError) -> ASPresentationAnchor {
            let activations = Activations.stream()
            if let window = await find() { return window }
            guard waitsForActivation else { throw Self.missing }
            let isInTime = await Activations.first(of: activations, within: Self.patience)
            guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
            guard isInTime, let window = await find() else { throw Self.missing }
            return window
        }

        private static let missing = SignInError(.authorization, .presentation(.windowMissing))
    }

    #if canImport(UIKit)
        extension UIWindowScene {
            /// The window that a person looks at: the key one, else any at the normal level.
            var windowForSheets: UIWindow? {
                let normal = windows.filter { $0.windowLevel == .normal && !$0.isHidden }
                return normal.first { $0.isKeyWindow } ?? normal.first
            }
        }
    #endif
#endif
