#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    import Foundation
    import OstiaryOAuth

    #if canImport(UIKit)
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// The window that presents a sheet.
    ///
    /// It is looked up for each attempt, on the main actor; no window is ever created.
    public struct PresentationWindow: Sendable {
        /// The time that an app which is launching, or being returned to, may take to become active.
        static let patience = Duration.seconds(5)

        private let find: @MainActor @Sendable () -> ASPresentationAnchor?
        /// The moments to look again, besides each activation; `nil` to look once.
        private let moments: (@MainActor @Sendable () -> AsyncStream<Void>)?

        private init(
            askingAgainAt moments: (@MainActor @Sendable () -> AsyncStream<Void>)?,
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            self.moments = moments
            self.find = find
        }

        /// The key window of the active scene, which is awaited for at most five seconds.
        ///
        /// Only a window at the normal level qualifies, since the window of an alert or a notification disappears. An
        /// app extension has no such window: pass one there.
        public static let frontmost = PresentationWindow(askingAgainAt: { AsyncStream { $0.finish() } }) {
            SystemApplication.current?.frontmostWindow
        }

        /// The window that the app returns; `nil` when it is gone.
        public static func window(
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) -> PresentationWindow {
            PresentationWindow(askingAgainAt: nil, find)
        }

        /// The window that the app returns, which is awaited for at most five seconds.
        ///
        /// - Parameters:
        ///   - moments: The moments to look again, besides each activation of the app.
        ///   - find: Returns the window; `nil` while there is none.
        /// - Returns: The window, looked for at each sign-in.
        public static func window(
            askingAgainAt moments: @escaping @MainActor @Sendable () -> AsyncStream<Void>,
            _ find: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) -> PresentationWindow {
            PresentationWindow(askingAgainAt: .some(moments), find)
        }

        #if canImport(UIKit)
            /// The key window of the scene that the app returns; `nil` when it is gone.
            public static func scene(
                _ find: @escaping @MainActor @Sendable () -> UIWindowScene?
            ) -> PresentationWindow {
                PresentationWindow(askingAgainAt: nil) { find()?.windowForSheets }
            }
        #endif

        /// Returns the window.
        ///
        /// - Throws: `presentation(.windowMissing)` when there is none; `cancelled`.
        func found() async throws(SignInError) -> ASPresentationAnchor {
            guard let moments else {
                guard let window = await find() else { throw Self.missing }
                return window
            }
            // Subscribed before the first look, so that no event in between is missed.
            let streams = [Activations.stream(), await moments()]
            if let window = await find() { return window }
            let window = await first(at: streams)
            guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
            guard let window else { throw Self.missing }
            return window
        }

        /// Returns the first window that exists at one of these moments, or when the time is up.
        private func first(at streams: [AsyncStream<Void>]) async -> ASPresentationAnchor? {
            await withTaskGroup(of: ASPresentationAnchor?.self) { group in
                for stream in streams {
                    group.addTask {
                        for await _ in stream {
                            if let window = await find() { return window }
                        }
                        // A stream that has ended decides nothing for the others.
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
            /// The window for a sheet: the key window, else any other at the normal level.
            var windowForSheets: UIWindow? {
                let normal = windows.filter { $0.windowLevel == .normal && !$0.isHidden }
                return normal.first { $0.isKeyWindow } ?? normal.first
            }
        }
    #endif

    /// The moment at which a window leaves the screen, and its sheet with it.
    ///
    /// The system does not report this, so a wait for the sheet would never end. On a Mac, the page is in a window of
    /// the browser, and stays.
    @MainActor
    enum WindowLoss {
        /// Observes a window until the observations are ended.
        static func observe(_ window: ASPresentationAnchor, _ lost: @escaping @Sendable () -> Void)
            -> [NotificationObservation]
        {
            #if canImport(UIKit)
                var losses: [(NSNotification.Name, UIResponder)] = [(UIWindow.didBecomeHiddenNotification, window)]
                if let scene = window.windowScene { losses.append((UIScene.didDisconnectNotification, scene)) }
                return losses.map { name, object in
                    NotificationObservation(
                        NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                            @Sendable _ in lost()
                        }
                    )
                }
            #else
                return []
            #endif
        }
    }
#endif
