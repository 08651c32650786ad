#if canImport(SwiftUI)
    import SwiftUI
    #if canImport(UIKit) && !os(watchOS)
        import UIKit

        /// Stands behind the views and tells which window they are in.
        struct WindowReader: UIViewRepresentable {
            let window: SignInWindow

            func makeUIView(context: Context) -> WindowReadingView { WindowReadingView() }
            func updateUIView(_ view: WindowReadingView, context: Context) { view.reader = window }
        }

        final class WindowReadingView: UIView {
            weak var reader: SignInWindow?

            override func didMoveToWindow() {
                super.didMoveToWindow()
                if let window { reader?.current = window }
            }
        }
    #elseif canImport(AppKit)
        import AppKit

        /// Stands behind the views and tells which window they are in.
        struct WindowReader: NSViewRepresentable {
            let window: SignInWindow

            func makeNSView(context: Context) -> WindowReadingView { WindowReadingView() }
            func updateNSView(_ view: WindowReadingView, context: Context) { view.reader = window }
        }

        final class WindowReadingView: NSView {
            weak var reader: SignInWindow?

            override func viewDidMoveToWindow() {
                super.viewDidMoveToWindow()
                if let window { reader?.current = window }
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
