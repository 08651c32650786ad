#if canImport(SwiftUI)
    import SwiftUI
    #if canImport(UIKit) && !os(watchOS)
        import UIKit

        /// A view behind the others that reports their window.
        struct WindowReader: UIViewRepresentable {
            let window: SignInWindow

            func makeUIView(context: Context) -> WindowReadingView { WindowReadingView() }
            func updateUIView(_ view: WindowReadingView, context: Context) { view.reader = window }
            static func dismantleUIView(_ view: WindowReadingView, coordinator: Void) { view.reader = nil }
        }

        final class WindowReadingView: UIView {
            /// Changes when the views are given another model in the same window.
            weak var reader: SignInWindow? {
                didSet {
                    guard reader !== oldValue else { return }
                    oldValue?.remove(self)
                    reader?.add(self)
                }
            }

            override func didMoveToWindow() {
                super.didMoveToWindow()
                reader?.changed()
            }
        }
    #elseif canImport(AppKit)
        import AppKit

        /// A view behind the others that reports their window.
        struct WindowReader: NSViewRepresentable {
            let window: SignInWindow

            func makeNSView(context: Context) -> WindowReadingView { WindowReadingView() }
            func updateNSView(_ view: WindowReadingView, context: Context) { view.reader = window }
            static func dismantleNSView(_ view: WindowReadingView, coordinator: Void) { view.reader = nil }
        }

        final class WindowReadingView: NSView {
            /// Changes when the views are given another model in the same window.
            weak var reader: SignInWindow? {
                didSet {
                    guard reader !== oldValue else { return }
                    oldValue?.remove(self)
                    reader?.add(self)
                }
            }

            override func viewDidMoveToWindow() {
                super.viewDidMoveToWindow()
                reader?.changed()
            }
        }
    #else
        /// There are no windows to choose from.
        struct WindowReader: View {
            let window: SignInWindow
            var body: some View { EmptyView() }
        }
    #endif
#endif
