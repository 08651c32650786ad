// On Apple platforms these come from the cross-import overlay of AuthenticationServices and SwiftUI.
import Foundation
import SimulatedPlatform
import SwiftUI

@available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
@MainActor public struct WebAuthenticationSession {
    public struct BrowserSession: Sendable {
        let isEphemeral: Bool
        public static var ephemeral: BrowserSession { BrowserSession(isEphemeral: true) }
        public static var shared: BrowserSession { BrowserSession(isEphemeral: false) }
    }

    nonisolated init() {}

    public func authenticate(
        using url: URL,
        callbackURLScheme: String,
        preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL {
        try await go(url, [:], preferredBrowserSession) { $0.scheme?.lowercased() == callbackURLScheme.lowercased() }
    }

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public func authenticate(
        using url: URL,
        callback: ASWebAuthenticationSession.Callback,
        preferredBrowserSession: BrowserSession? = nil,
        additionalHeaderFields: [String: String]
    ) async throws -> URL {
        nonisolated(unsafe) let callback = callback
        return try await go(url, additionalHeaderFields, preferredBrowserSession) { callback.matchesURL($0) }
    }

    private func go(
        _ url: URL,
        _ headers: [String: String],
        _ kind: BrowserSession?,
        _ match: @escaping @Sendable (URL) -> Bool
    ) async throws -> URL {
        switch await SimulatedDevice.shared.browser.run(
            from: url,
            headers: headers,
            ephemeral: kind?.isEphemeral ?? false,
            isCallback: match
        )
        {
        case .callback(let url): return url
        case .cancelledByUser, .stopped: throw ASWebAuthenticationSessionError(.canceledLogin)
        }
    }
}

extension EnvironmentValues {
    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
    public var webAuthenticationSession: WebAuthenticationSession { WebAuthenticationSession() }
}
