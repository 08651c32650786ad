import Foundation

#if canImport(UIKit)
    import UIKit
    @available(watchOS, unavailable)
    public typealias ASPresentationAnchor = UIWindow
#elseif canImport(AppKit)
    import AppKit
    public typealias ASPresentationAnchor = NSWindow
#endif

/// documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@available(tvOS, unavailable)
@available(watchOS, unavailable)
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
