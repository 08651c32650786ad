// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(SwiftUI)
    #if canImport(UIKit)
        import UIKit

        /// The window that the person looks at.
        @MainActor func frontWindow() -> UIWindow? {
            UIApplication.shared.connectedScenes.lazy.compactMap { $0 as? UIWindowScene }.first?.windows.first
        }
    #elseif canImport(AppKit)
        import AppKit

        /// The window that the person looks at.
        @MainActor func frontWindow() -> NSWindow? { NSApplication.shared.keyWindow }
    #endif
#endif
