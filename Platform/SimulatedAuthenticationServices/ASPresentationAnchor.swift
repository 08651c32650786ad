import Foundation

#if canImport(UIKit)
    import UIKit
    public typealias ASPresentationAnchor = UIWindow
#elseif canImport(AppKit)
    import AppKit
    public typealias ASPresentationAnchor = NSWindow
#endif

/// documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// Whether a sheet can go up at a window.
@MainActor func isPresentable(_ anchor: ASPresentationAnchor) -> Bool {
    #if canImport(UIKit)
        switch anchor.windowScene?.activationState {
        case .foregroundActive?, .foregroundInactive?: return true
        default: return false
        }
    #else
        return anchor.isVisible
    #endif
}
