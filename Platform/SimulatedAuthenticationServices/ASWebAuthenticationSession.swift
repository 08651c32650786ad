import Foundation
import SimulatedPlatform

/// documentation/authenticationservices/aswebauthenticationsession
///
/// No actor, not Sendable; its handler is not `@Sendable`, and comes on a queue of the system's. It is used once, keeps
/// neither itself nor its provider alive, and takes its sheet down when it is let go of.
@available(iOS 12.0, macCatalyst 13.0, macOS 10.15, tvOS 16.0, watchOS 6.2, *)
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    private enum Phase { case idle, running, over }

    private let url: URL
    private let rule: CallbackRule
    private let mutex = NSLock()
    private var handler: CompletionHandler?
    private var phase = Phase.idle
    private var visit: Task<Void, Never>?
    private var headers: [String: String]?

    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false
    @available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
    open var additionalHeaderFields: [String: String]? {
        get { headers }
        set { headers = newValue }
    }

    public init(
        url URL: URL,
        callbackURLScheme: String?,
        completionHandler: @escaping ASWebAuthenticationSession.CompletionHandler
    ) {
        url = URL
        rule = CallbackRule(scheme: callbackURLScheme)
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
        rule = callback.rule
        handler = completionHandler
        super.init()
    }

    @available(*, unavailable) public override init() { fatalError() }

    deinit {
        visit?.cancel()
        guard phase == .running else { return }
        SimulatedDevice.shared.closeSheet()
        SimulatedDevice.shared.violation("ASWebAuthenticationSession released while its sheet was up")
    }

    @available(iOS 13.4, macCatalyst 13.4, macOS 10.15.4, watchOS 6.2, *)
    open var canStart: Bool { mutex.withLock { phase == .idle } && isWebPage }

    @discardableResult
    open func start() -> Bool {
        let device = SimulatedDevice.shared
        if !device.isOnMainQueue { device.violation("ASWebAuthenticationSession.start() off the main thread") }
        guard isWebPage, !device.snapshot.web.refusesToStart, mutex.withLock({ phase == .idle }), device.openSheet()
        else { return false }
        mutex.withLock { phase = .running }
        guard let provider = presentationContextProvider else { return refuse(.presentationContextNotProvided) }
        let anchor = MainActor.assumeIsolated { provider.presentationAnchor(for: self) }
        guard MainActor.assumeIsolated({ isPresentable(anchor) }) else { return refuse(.presentationContextInvalid) }
        device.putSheet(in: anchor)
        let state = device.snapshot
        if !HeaderFieldRule.allows(headers) {
            let reason = "One or more provided headers are invalid."
            report(nil, ASWebAuthenticationSessionError(.canceledLogin, reason: reason))
        } else if let host = rule.associatedHost, !state.app.webCredentialDomains.contains(host) {
            let app = state.app.bundleIdentifier
            report(
                nil,
                ASWebAuthenticationSessionError(
                    .canceledLogin,
                    reason: "Application with identifier \(app) is not associated with domain \(host)."
                )
            )
        } else if state.web.isSingleAppMode {
            report(nil, ASWebAuthenticationSessionError(.canceledLogin))
        } else if let interruption = state.web.interruption {
            switch interruption {
            case .error(let domain, let code): report(nil, NSError(domain: domain, code: code))
            case .nothing: report(nil, nil)
            }
        } else {
            show(in: device.browser)
        }
        return true
    }

    @available(tvOS, unavailable)
    open func cancel() {
        let device = SimulatedDevice.shared
        if !device.isOnMainQueue { device.violation("ASWebAuthenticationSession.cancel() off the main thread") }
        visit?.cancel()
        if device.snapshot.ambiguities.webSessionReportsAfterCancel {
            report(nil, ASWebAuthenticationSessionError(.canceledLogin))
        } else {
            end()
        }
    }

    private var isWebPage: Bool { ["http", "https"].contains(url.scheme?.lowercased() ?? "") }

    private func show(in browser: SimulatedBrowser) {
        let url = url
        let rule = rule
        let headers = headers ?? [:]
        let ephemeral = prefersEphemeralWebBrowserSession
        let holder = SimulatedDevice.shared.snapshot.ambiguities.releasedSessionTakesItsSheetDown ? nil : self
        visit = Task { [weak self] in
            defer { withExtendedLifetime(holder) {} }
            let outcome = await browser.run(from: url, headers: headers, ephemeral: ephemeral) { rule.matches($0) }
            guard !SimulatedDevice.shared.sheetIsGone else { return }
            switch outcome {
            case .callback(let url): self?.report(url, nil)
            case .cancelledByUser: self?.report(nil, ASWebAuthenticationSessionError(.canceledLogin))
            case .stopped: break
            }
        }
    }

    private func refuse(_ code: ASWebAuthenticationSessionError.Code) -> Bool {
        if SimulatedDevice.shared.snapshot.ambiguities.webSessionReportsFailedStart {
            report(nil, ASWebAuthenticationSessionError(code))
        } else {
            end()
        }
        return false
    }

    @discardableResult
    private func end() -> CompletionHandler? {
        let (handler, wasRunning) = mutex.withLock { () -> (CompletionHandler?, Bool) in
            defer {
                phase = .over
                self.handler = nil
            }
            return (self.handler, phase == .running)
        }
        if wasRunning { SimulatedDevice.shared.closeSheet() }
        return handler
    }

    private func report(_ url: URL?, _ error: (any Error)?) {
        guard let handler = end() else { return }
        nonisolated(unsafe) let deliver = { handler(url, error) }
        SimulatedDevice.shared.report { deliver() }
    }
}
