#if canImport(SwiftUI)
    #if canImport(UIKit) && !os(watchOS)
        import Foundation
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// The window that a sign-in page is to appear at: of the windows that views of a ``SignInModel`` stand in, the one that
    /// the person looks at.
    ///
    /// It keeps no window alive.
    @MainActor
    public final class SignInWindow {
        #if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
            private struct Place {
                weak var view: WindowReadingView?
            }

            /// Where views of the model stand; each says itself which window it is in.
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

            /// A view has come to stand in another window.
            func changed() { for listener in listeners.values { listener.yield() } }

            /// Each moment from now on at which a view has come into a window.
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
            /// The window: the key one of a scene in front, else another one there; `nil` while none is.
            ///
            /// In an app extension, whose scene is the app's around it, it is any window on the screen.
            public var current: Window? {
                let shown = windows.filter { !$0.isHidden && (Self.isInExtension || $0.isInFront) }
                return shown.first(where: \.isKeyWindow) ?? shown.first
            }

            private static var isInExtension: Bool { Bundle.main.bundlePath.hasSuffix(".appex") }
        #elseif canImport(AppKit)
            /// The platform's window.
            public typealias Window = NSWindow
            /// The window: the key one, else the main one, else another one on the screen; `nil` while none is.
            public var current: Window? {
                let shown = windows.filter(\.isVisible)
                return shown.first(where: \.isKeyWindow) ?? shown.first(where: \.isMainWindow) ?? shown.first
            }
        #endif

        /// Makes one that no view stands in yet.
        public nonisolated init() {}
    }

    #if canImport(UIKit) && !os(watchOS)
        extension UIWindow {
            fileprivate var isInFront: Bool { windowScene?.activationState == .foregroundActive }
        }
    #endif
#endif
