// Stand-in for the web authentication session of AuthenticationServices.
import Foundation
import SimulatedPlatform

#if canImport(UIKit)
    import UIKit
    public typealias ASPresentationAnchor = UIWindow
#elseif canImport(AppKit)
    import AppKit
    public typealias ASPresentationAnchor = NSWindow
#endif

public let ASWebAuthenticationSessionErrorDomain = "com.apple.AuthenticationServices.WebAuthenticationSession"

public struct ASWebAuthenticationSessionError: CustomNSError, Sendable {
    public enum Code: Int, Sendable, Equatable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }
    public let code: Code
    let reason: String?
    init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }
    public static var errorDomain: String { ASWebAuthenticationSessionErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:] }
    public static var canceledLogin: Code { .canceledLogin }
    public static var presentationContextNotProvided: Code { .presentationContextNotProvided }
    public static var presentationContextInvalid: Code { .presentationContextInvalid }
}

/// `case ASWebAuthenticationSessionError.canceledLogin = error`
public func ~= (code: ASWebAuthenticationSessionError.Code, error: any Error) -> Bool {
    (error as? ASWebAuthenticationSessionError)?.code == code
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@available(iOS 12.0, macCatalyst 13.0, macOS 10.15, watchOS 6.2, *)
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
    public class Callback: NSObject {
        enum Kind { case scheme(String), https(host: String, path: String) }
        let kind: Kind
        required init(kind: Kind) {
            self.kind = kind
            super.init()
        }
        @available(*, unavailable) public override init() { fatalError() }
        public class func customScheme(_ customScheme: String) -> Self { self.init(kind: .scheme(customScheme)) }
        public class func https(host: String, path: String) -> Self { self.init(kind: .https(host: host, path: path)) }
        public func matchesURL(_ url: URL) -> Bool { kind.matches(url) }
    }

    private enum Phase { case idle, running, over }

    private let url: URL
    private let match: @Sendable (URL) -> Bool
    private let associatedHost: String?
    private let startable: Bool
    private let mutex = NSLock()
    private var handler: CompletionHandler?
    private var phase = Phase.idle
    private var run: Task<Void, Never>?

    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false
    @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
    open var additionalHeaderFields: [String: String]? {
        get { headers }
        set { headers = newValue }
    }
    private var headers: [String: String]?

    public init(
        url URL: URL,
        callbackURLScheme: String?,
        completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler
    ) {
        url = URL
        associatedHost = nil
        // http(s) is not a custom scheme: the session never matches it, and the sheet just stays open.
        let scheme = callbackURLScheme?.lowercased()
        match = { candidate in
            guard let scheme, scheme != "http", scheme != "https" else { return false }
            return candidate.scheme?.lowercased() == scheme
        }
        startable = ["http", "https"].contains(URL.scheme?.lowercased() ?? "")
        handler = completionHandler
        super.init()
    }

    @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
    public init(
        url URL: URL,
        callback: ASWebAuthenticationSession.Callback,
        completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler
    ) {
        url = URL
        if case .https(let host, _) = callback.kind { associatedHost = host } else { associatedHost = nil }
        let kind = callback.kind
        match = { kind.matches($0) }
        startable = ["http", "https"].contains(URL.scheme?.lowercased() ?? "")
        handler = completionHandler
        super.init()
    }

    @available(*, unavailable) public override init() { fatalError() }

    // The app must keep the session alive; a released one takes its sheet down and never reports.
    deinit {
        run?.cancel()
        if phase == .running {
            SimulatedDevice.shared.violation("ASWebAuthenticationSession released while its sheet was up")
        }
    }

    @available(iOS 13.4, macCatalyst 13.4, macOS 10.15.4, watchOS 6.2, *)
    open var canStart: Bool { mutex.withLock { phase == .idle } && startable }

    @discardableResult
    open func start() -> Bool {
        let device = SimulatedDevice.shared
        if !device.isOnMainQueue { device.violation("ASWebAuthenticationSession.start() off the main thread") }
        let first = mutex.withLock {
            guard phase == .idle else { return false }
            phase = .running
            return true
        }
        guard first, startable else { return false }
        guard let provider = presentationContextProvider else { return refuse(.presentationContextNotProvided) }
        guard MainActor.assumeIsolated({ isPresentable(provider.presentationAnchor(for: self)) }) else {
            return refuse(.presentationContextInvalid)
        }
        let browser = device.browser, url = url, match = match, headers = headers ?? [:]
        let ephemeral = prefersEphemeralWebBrowserSession
        let unassociated = associatedHost.flatMap { host in
            device.snapshot.app.webCredentialDomains.contains(host) ? nil : host
        }
        run = Task { [weak self] in
            if let unassociated {
                self?.report(
                    nil,
                    ASWebAuthenticationSessionError(
                        .canceledLogin,
                        reason: "Application is not associated with domain \(unassociated)."
                    )
                )
                return
            }
            switch await browser.run(from: url, headers: headers, ephemeral: ephemeral, isCallback: match) {
            case .callback(let url): self?.report(url, nil)
            case .cancelledByUser: self?.report(nil, ASWebAuthenticationSessionError(.canceledLogin))
            case .stopped: break
            }
        }
        return true
    }

    open func cancel() {
        if !SimulatedDevice.shared.isOnMainQueue {
            SimulatedDevice.shared.violation("ASWebAuthenticationSession.cancel() off the main thread")
        }
        run?.cancel()
        if SimulatedDevice.shared.snapshot.ambiguities.webSessionReportsAfterCancel {
            report(nil, ASWebAuthenticationSessionError(.canceledLogin))
        } else {
            mutex.withLock {
                phase = .over; handler = nil
            }
        }
    }

    private func refuse(_ code: ASWebAuthenticationSessionError.Code) -> Bool {
        if SimulatedDevice.shared.snapshot.ambiguities.webSessionReportsFailedStart {
            report(nil, ASWebAuthenticationSessionError(code))
        } else {
            mutex.withLock {
                phase = .over; handler = nil
            }
        }
        return false
    }

    private func report(_ url: URL?, _ error: ASWebAuthenticationSessionError?) {
        let handler = mutex.withLock { () -> CompletionHandler? in
            guard phase != .over else { return nil }
            phase = .over
            defer { self.handler = nil }
            return self.handler
        }
        guard let handler else { return }
        nonisolated(unsafe) let deliver = { handler(url, error) }
        let ambiguities = SimulatedDevice.shared.snapshot.ambiguities
        let queue = ambiguities.webSessionReportsOffMain ? DispatchQueue(label: "simulated.xpc.reply") : .main
        queue.async { deliver() }
        if ambiguities.webSessionReportsTwice { queue.async { deliver() } }
    }
}

@available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
extension ASWebAuthenticationSession.Callback.Kind {
    fileprivate func matches(_ url: URL) -> Bool {
        switch self {
        case .scheme(let scheme): url.scheme?.lowercased() == scheme.lowercased()
        case .https(let host, let path):
            url.scheme?.lowercased() == "https" && url.host?.lowercased() == host.lowercased() && url.path == path
        }
    }
}

@MainActor private func isPresentable(_ anchor: ASPresentationAnchor) -> Bool {
    #if canImport(UIKit)
        switch anchor.windowScene?.activationState {
        case .foregroundActive?, .foregroundInactive?: return true
        default: return false
        }
    #else
        return anchor.isVisible
    #endif
}
