public import AuthenticationServices

#if canImport(UIKit)
    public import UIKit
#elseif canImport(AppKit)
    public import AppKit
#endif

/// The window that the user looks at.
@MainActor public func frontWindow() -> ASPresentationAnchor? {
    #if canImport(UIKit)
        UIApplication.shared.connectedScenes.lazy.compactMap { $0 as? UIWindowScene }.first?.windows.first
    #else
        NSApplication.shared.keyWindow
    #endif
}
