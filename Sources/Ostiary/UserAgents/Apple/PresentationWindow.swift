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
        /// When to ask again, besides each activation; `nil` to ask once.
        private let moments: (@MainActor @Sendable () -> AsyncStream<Void>)?

        private init(
            askingAgainAt moments: (@MainActor @Sendable () -> AsyncStream<Void>)?,
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            self.moments = moments
            self.find = find
        }

        /// The key window of the scene that is in front; of an app that is not in front yet, after at most five seconds.
        ///
        /// Only windows at the normal level are taken: one of an alert or a notification goes away. An app extension has no
        /// such window: give one there.
        public static let frontmost = PresentationWindow(askingAgainAt: { AsyncStream { $0.finish() } }) {
            SystemApplication.current?.frontmostWindow
        }

        /// The window that the app says; `nil` when it is gone.
        public static func window(
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) -> PresentationWindow {
            PresentationWindow(askingAgainAt: nil, find)
        }

        /// The window that the app says, once there is one: it is waited for, at most for five seconds.
        ///
        /// - Parameters:
        ///   - moments: When to ask again, besides each activation of the app.
        ///   - find: The window; `nil` while there is none.
        public static func window(
            askingAgainAt moments: @escaping @MainActor @Sendable () -> AsyncStream<Void>,
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) -> PresentationWindow {
            PresentationWindow(askingAgainAt: .some(moments), find)
        }

        #if canImport(UIKit)
            /// The key window of the scene that the app says; `nil` when it is gone.
            public static func scene(
                _ find: @escaping @MainActor @Sendable () -> UIWindowScene?
            ) -> PresentationWindow {
                PresentationWindow(askingAgainAt: nil) { find()?.windowForSheets }
            }
        #endif

        /// The window.
        ///
        /// - Throws: `windowMissing` when there is none, and `cancelled`.
        func found() async throws(SignInError) -> ASPresentationAnchor {
            guard let moments else {
                guard let window = await find() else { throw Self.missing }
                return window
            }
            // Listened to before the first look: what happens between the two is heard.
            let streams = [Activations.stream(), await moments()]
            if let window = await find() { return window }
            let window = await first(at: streams)
            guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
            guard let window else { throw Self.missing }
            return window
        }

        /// The first window that there is at one of these moments, or when the patience is at an end.
        private func first(at streams: [AsyncStream<Void>]) async -> ASPresentationAnchor? {
            await withTaskGroup(of: ASPresentationAnchor?.self) { group in
                for stream in streams {
                    group.addTask {
                        for await _ in stream {
                            if let window = await find() { return window }
                        }
                        // A stream that has ended says nothing of the others.
                        try? await Task.sleep(for: Self.patience)
                        return nil
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: Self.patience)
                    return Task.isCancelled ? nil : await find()
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
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
