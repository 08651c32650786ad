#if canImport(SwiftUI)
    #if canImport(UIKit) && !os(watchOS)
        import Foundation
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// The window that presents a sign-in page: of the windows with views of a ``SignInModel``, the one in front of the
    /// user.
    ///
    /// It retains no window.
    @MainActor
    public final class SignInWindow {
        #if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
            private struct Place {
                weak var view: WindowReadingView?
            }

            /// The views of the model, each of which knows its own window.
            private var places: [Place] = []
            private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
            private var count = 0

            func add(_ view: WindowReadingView) {
                remove(view)
                places.append(Place(view: view))
                changed()
            }

            func remove(_ view: WindowReadingView) {
                places.removeAll { $0.view == nil || $0.view === view }
            }

            /// Reports that a view has moved to another window.
            func changed() { for listener in listeners.values { listener.yield() } }

            /// Returns a stream of the moments, from now on, at which a view has moved into a window.
            func moments() -> AsyncStream<Void> {
                let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                count += 1
                let id = count
                listeners[id] = listener
                listener.onTermination = { @Sendable [weak self] _ in
                    Task { @MainActor in self?.listeners[id] = nil }
                }
                return stream
            }

            private var windows: [Window] { places.compactMap { $0.view?.window } }
        #endif

        #if canImport(UIKit) && !os(watchOS)
            /// The platform's window.
            public typealias Window = UIWindow
            /// The key window of an active scene, else another window of one; `nil` while there is none.
            ///
            /// In an app extension, whose scene belongs to the app around it, it is any window on the screen.
            public var current: Window? {
                let shown = windows.filter { !$0.isHidden && (Self.isInExtension || $0.isInFront) }
                return shown.first(where: \.isKeyWindow) ?? shown.first
            }

            private static var isInExtension: Bool { Bundle.main.bundlePath.hasSuffix(".appex") }
        #elseif canImport(AppKit)
            /// The platform's window.
            public typealias Window = NSWindow
            /// The key window, else the main window, else another one on the screen; `nil` while there is none.
            public var current: Window? {
                let shown = windows.filter(\.isVisible)
                return shown.first(where: \.isKeyWindow) ?? shown.first(where: \.isMainWindow) ?? shown.first
            }
        #endif

        /// Makes a value without views.
        public nonisolated init() {}
    }

    #if canImport(UIKit) && !os(watchOS)
        extension UIWindow {
            fileprivate var isInFront: Bool { windowScene?.activationState == .foregroundActive }
        }
    #endif
#endif
