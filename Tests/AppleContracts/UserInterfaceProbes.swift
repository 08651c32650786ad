// Apart from every import of Testing, which has overlays for UIKit and AppKit that the stand-ins lack.
#if canImport(AuthenticationServices) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    @MainActor private enum UserInterfaceProbes {
        #if canImport(UIKit)
            static func uiKit(_ url: URL, _ context: UIOpenURLContext) async {
                let _: ASPresentationAnchor.Type = UIWindow.self
                let _: Set<UIScene> = UIApplication.shared.connectedScenes
                let _: UIScene.ActivationState? = UIApplication.shared.connectedScenes.first?.activationState
                let _: [UIWindow]? = (UIApplication.shared.connectedScenes.first as? UIWindowScene)?.windows
                let _: Bool = UIWindow.isKeyWindow(UIApplication.shared)
                let _: Bool = await UIApplication.shared.open(url, options: [:])
                let _: URL = context.url
                let _: String? = context.options.sourceApplication
            }

            /// Not in an async function, where the compiler asks for the alternative of a call with a completion handler.
            static func opening(_ url: URL) {
                let completion: (@MainActor @Sendable (Bool) -> Void)? = nil
                UIApplication.shared.open(url, options: [.universalLinksOnly: true], completionHandler: completion)
            }
        #elseif canImport(AppKit)
            static func appKit(_ url: URL) {
                let _: ASPresentationAnchor.Type = NSWindow.self
                let _: NSWindow? = NSApplication.shared.keyWindow
                let _: NSWindow? = NSApplication.shared.mainWindow
                let _: [NSWindow] = NSApplication.shared.windows
                let configuration = NSWorkspace.OpenConfiguration()
                configuration.requiresUniversalLinks = true
                let completion: (@Sendable (NSRunningApplication?, (any Error)?) -> Void)? = nil
                NSWorkspace.shared.open(url, configuration: configuration, completionHandler: completion)
            }
        #endif
    }

    #if canImport(UIKit)
        extension UIWindow {
            fileprivate static func isKeyWindow(_ application: UIApplication) -> Bool {
                (application.connectedScenes.first as? UIWindowScene)?.windows.first?.isKeyWindow ?? false
            }
        }
    #endif
#endif
