#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// The services of the system that are available to an app, and not to an app extension.
    @MainActor
    protocol ApplicationAccess: Sendable {
        /// Whether the process belongs to an app.
        var isThere: Bool { get }
        /// The window in front of the user.
        var frontmostWindow: ASPresentationAnchor? { get }
        /// Whether the user is in the app.
        var isInFront: Bool { get }
        /// Opens a link in the app that claims it, and in no browser.
        func openInApp(_ url: URL) async -> Bool
        /// Requests background time; `nil` when the system grants none.
        func beginBackgroundTask(_ name: String, expired: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
    }

    /// The app that this code runs in.
    struct SystemApplication: Sendable {
        /// Whether the process belongs to an app extension.
        static var isExtension: Bool { Bundle.main.bundlePath.hasSuffix(".appex") }

        /// The app of this process; `nil` in an app extension, and in a process without an app.
        ///
        /// A package's tests on a simulator run in such a process. The conformance below is unavailable in an
        /// extension, and the compiler rejects its use by name in code that an extension may run. It is therefore
        /// looked up at run time. The same client can thus be made in an app and in its widget, and a sign-in in the
        /// widget fails with a reason.
        @MainActor static var current: (any ApplicationAccess)? {
            guard !isExtension else { return nil }
            let application: any Sendable = SystemApplication()
            guard let access = application as? any ApplicationAccess, access.isThere else { return nil }
            return access
        }
    }

    #if canImport(UIKit)
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        extension UIApplication {
            /// The app of this process; `nil` when there is none.
            ///
            /// `shared` is declared as non-optional, and is null in a process without an app. A message to null returns
            /// 0, which as a background task means that the system grants no time.
            static var ofThisProcess: UIApplication? {
                let shared = UIApplication.shared
                // Compares the address, since the compiler assumes the result of a comparison with nil.
                return UInt(bitPattern: ObjectIdentifier(shared)) == 0 ? nil : shared
            }
        }

        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        extension SystemApplication: ApplicationAccess {
            var isThere: Bool { UIApplication.ofThisProcess != nil }

            var frontmostWindow: ASPresentationAnchor? {
                UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                    .first { $0.activationState == .foregroundActive }?.windowForSheets
            }

            var isInFront: Bool {
                UIApplication.shared.connectedScenes.contains { $0.activationState == .foregroundActive }
            }

            func openInApp(_ url: URL) async -> Bool {
                await UIApplication.shared.open(url, options: [.universalLinksOnly: true])
            }

            func beginBackgroundTask(_ name: String, expired: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
            {
                BackgroundTask.begin(name, of: .shared, expired: expired)
            }
        }
    #elseif canImport(AppKit)
        extension SystemApplication: ApplicationAccess {
            var isThere: Bool { true }

            var frontmostWindow: ASPresentationAnchor? {
                let application = NSApplication.shared
                return [application.keyWindow, application.mainWindow].compactMap { $0 }.first(where: isForSheets)
                    ?? application.windows.first(where: isForSheets)
            }

            @MainActor private func isForSheets(_ window: NSWindow) -> Bool {
                window.isVisible && window.level == .normal
            }

            var isInFront: Bool { NSApplication.shared.isActive }

            func openInApp(_ url: URL) async -> Bool { await Self.openLink(url) }

            func beginBackgroundTask(_ name: String, expired: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
            {
                // macOS does not suspend apps.
                {}
            }

            /// Opens a link, outside of every actor, since the system calls back on a concurrent queue.
            nonisolated private static func openLink(_ url: URL) async -> Bool {
                let configuration = NSWorkspace.OpenConfiguration()
                configuration.requiresUniversalLinks = true
                return await withCheckedContinuation { continuation in
                    NSWorkspace.shared.open(url, configuration: configuration) { @Sendable _, error in
                        continuation.resume(returning: error == nil)
                    }
                }
            }
        }
    #endif
#endif
