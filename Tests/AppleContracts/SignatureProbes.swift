// Pins the type of every platform declaration the SDK uses. The same text compiles against the stand-ins on Linux and
// against the real SDK on a Mac; a line that fails on the Mac is a stand-in that lies.
#if canImport(AuthenticationServices) && canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import LocalAuthentication
    import Security
    import SwiftUI
    import Testing

    @MainActor private enum Signatures {
        static func security() {
            let _: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
            let _: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
            let _: (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
            let _: (CFDictionary) -> OSStatus = SecItemDelete
            let _: (OSStatus, UnsafeMutableRawPointer?) -> CFString? = SecCopyErrorMessageString
            let _:
                (CFAllocator?, CFTypeRef, SecAccessControlCreateFlags, UnsafeMutablePointer<Unmanaged<CFError>?>?)
                    -> SecAccessControl? = SecAccessControlCreateWithFlags
            let _: [CFString] = [
                kSecClass, kSecClassGenericPassword, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup,
                kSecAttrAccessible, kSecAttrAccessControl, kSecAttrSynchronizable, kSecAttrSynchronizableAny,
                kSecAttrLabel,
                kSecAttrGeneric, kSecAttrCreationDate, kSecAttrModificationDate, kSecValueData, kSecReturnData,
                kSecReturnAttributes, kSecMatchLimit, kSecMatchLimitOne, kSecMatchLimitAll,
                kSecUseAuthenticationContext, kSecUseAuthenticationUI, kSecUseAuthenticationUISkip,
                kSecUseDataProtectionKeychain, kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            ]
            let _: AnyObject = kSecClass
        }

        static func localAuthentication(_ context: LAContext) {
            let _: (LAPolicy, String, @escaping @Sendable (Bool, (any Error)?) -> Void) -> Void =
                context.evaluatePolicy(_:localizedReason:reply:)
            let _: Bool = context.interactionNotAllowed
            let _: String = context.localizedReason
            let _: LABiometryType = context.biometryType
            var error: NSError?
            let _: Bool = context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
        }

        static func webSession(_ url: URL, _ provider: any ASWebAuthenticationPresentationContextProviding) {
            let handler: ASWebAuthenticationSession.CompletionHandler = { (_: URL?, _: (any Error)?) in }
            let session = ASWebAuthenticationSession(
                url: url,
                callbackURLScheme: nil as String?,
                completionHandler: handler
            )
            session.presentationContextProvider = provider
            session.prefersEphemeralWebBrowserSession = true
            let _: Bool = session.canStart
            let _: () -> Bool = session.start
            let _: () -> Void = session.cancel
            let _: ASPresentationAnchor = provider.presentationAnchor(for: session)
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                let callback: ASWebAuthenticationSession.Callback = .https(host: "a", path: "/b")
                let _: ASWebAuthenticationSession.Callback = .customScheme("c")
                let _: Bool = callback.matchesURL(url)
                let modern = ASWebAuthenticationSession(url: url, callback: callback, completionHandler: handler)
                modern.additionalHeaderFields = ["X-Probe": "y"]
                let _: [String: String]? = modern.additionalHeaderFields
            }
        }

        struct Probe: View {
            @available(iOS 16.4, macOS 13.3, *)
            static var session: KeyPath<EnvironmentValues, WebAuthenticationSession> { \.webAuthenticationSession }
            var body: some View { Text("probe").onOpenURL { (_: URL) in } }
        }

        @available(iOS 17.4, macOS 14.4, *)
        static func swiftUI(_ session: WebAuthenticationSession, _ url: URL) async throws {
            let _: URL = try await session.authenticate(
                using: url,
                callback: .customScheme("x"),
                preferredBrowserSession: .ephemeral,
                additionalHeaderFields: [:]
            )
            let _: URL = try await session.authenticate(
                using: url,
                callbackURLScheme: "x",
                preferredBrowserSession: .shared
            )
        }
    }

    @Suite struct ConstantProbes {
        @Test func statusCodes() {
            #expect(errSecSuccess == 0)
            #expect(errSecParam == -50)
            #expect(errSecUserCanceled == -128)
            #expect(errSecNotAvailable == -25291)
            #expect(errSecAuthFailed == -25293)
            #expect(errSecDuplicateItem == -25299)
            #expect(errSecItemNotFound == -25300)
            #expect(errSecInteractionNotAllowed == -25308)
            #expect(errSecDecode == -26275)
            #expect(errSecMissingEntitlement == -34018)
        }

        @Test func accessControlFlags() {
            #expect(SecAccessControlCreateFlags.userPresence.rawValue == 1)
            #expect(SecAccessControlCreateFlags.biometryAny.rawValue == 1 << 1)
            #expect(SecAccessControlCreateFlags.biometryCurrentSet.rawValue == 1 << 3)
            #expect(SecAccessControlCreateFlags.devicePasscode.rawValue == 1 << 4)
            #expect(SecAccessControlCreateFlags.privateKeyUsage.rawValue == 1 << 30)
        }

        @Test func errorDomainsAndCodes() {
            #expect(
                ASWebAuthenticationSessionErrorDomain == "com.apple.AuthenticationServices.WebAuthenticationSession"
            )
            #expect(ASWebAuthenticationSessionError.errorDomain == ASWebAuthenticationSessionErrorDomain)
            #expect(ASWebAuthenticationSessionError.Code.canceledLogin.rawValue == 1)
            #expect(ASWebAuthenticationSessionError.Code.presentationContextNotProvided.rawValue == 2)
            #expect(ASWebAuthenticationSessionError.Code.presentationContextInvalid.rawValue == 3)
            #expect(LAErrorDomain == "com.apple.LocalAuthentication")
            #expect(LAError.Code.userCancel.rawValue == -2)
            #expect(LAError.Code.biometryLockout.rawValue == -8)
            #expect(LAError.Code.notInteractive.rawValue == -1004)
        }

        @Test func callbackMatching() throws {
            guard #available(iOS 17.4, macOS 14.4, *) else { return }
            let callback = ASWebAuthenticationSession.Callback.https(host: "app.example.com", path: "/cb")
            #expect(callback.matchesURL(try #require(URL(string: "https://app.example.com/cb?code=1"))))
            #expect(!callback.matchesURL(try #require(URL(string: "https://app.example.com/other"))))
            #expect(!callback.matchesURL(try #require(URL(string: "http://app.example.com/cb"))))
            let scheme = ASWebAuthenticationSession.Callback.customScheme("com.example.app")
            #expect(scheme.matchesURL(try #require(URL(string: "com.example.app:/anything"))))
        }

        /// The adapters assume these are not Sendable. If an SDK makes one Sendable, nothing breaks; this only reports it.
        @Test func sendability() {
            func isSendable<T>(_: T.Type) -> Bool { false }
            func isSendable<T: Sendable>(_: T.Type) -> Bool { true }
            withKnownIssue("informative only", isIntermittent: true) {
                #expect(!isSendable(ASWebAuthenticationSession.self))
                #expect(!isSendable(LAContext.self))
                #expect(!isSendable(CFString.self))
            }
        }
    }
#endif
