#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    #if canImport(UIKit)
        import UIKit
    #endif

    /// Whether the device confines the user to one app, and therefore shows no browser.
    enum BrowserRestriction {
        /// True in Guided Access and in the single app mode of a managed device (Technical Note TN2448).
        @MainActor static var isActive: Bool {
            #if canImport(UIKit)
                UIAccessibility.isGuidedAccessEnabled
            #else
                false
            #endif
        }
    }
#endif
