#if canImport(SwiftUI)
    #if canImport(UIKit) && !os(watchOS)
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// The window that a sign-in page is to appear at: the one that the views of a ``SignInModel`` stand in.
    ///
    /// It keeps no window alive.
    @MainActor
    public final class SignInWindow {
        #if canImport(UIKit) && !os(watchOS)
            /// The platform's window.
            public typealias Window = UIWindow
            /// The window; `nil` before the views are on the screen.
            public internal(set) weak var current: Window?
        #elseif canImport(AppKit)
            /// The platform's window.
            public typealias Window = NSWindow
            /// The window; `nil` before the views are on the screen.
            public internal(set) weak var current: Window?
        #endif

        /// Makes one that no view stands in yet.
        public nonisolated init() {}
    }
#endif
