import Foundation

/// The device's web authentication sessions, as a test sets them.
public struct WebSessions: Sendable {
    /// Guided Access and a managed device's single app mode let no session show itself: it starts, shows nothing, and
    /// reports a cancellation (openradar 48376122, AppAuth-iOS issue 365).
    public var isSingleAppMode = false
    /// `start()` answers false, as for a system that is not ready.
    public var refusesToStart = false
    /// Reported instead of whatever the browser would have come to.
    public var interruption: Interruption?
    /// Reports wait until `SimulatedDevice.deliverReports()`.
    public var holdsReports = false
    /// The number of open sheets; the system presents one at a time for an app.
    public internal(set) var open = 0
    /// The number of sheets so far.
    public internal(set) var opened = 0

    var held: [@Sendable () -> Void] = []
    /// The window that the sheet is in, where sheets are in windows of the app.
    public internal(set) var window: ObjectIdentifier?
    var isGone = false

    /// A failure that is not one of the documented codes.
    public enum Interruption: Sendable {
        case error(domain: String, code: Int)
        /// Neither a URL nor an error.
        case nothing
    }
}

extension SimulatedDevice {
    /// A sheet goes up, unless one is up already.
    public func openSheet() -> Bool {
        with { state in
            guard state.web.open == 0 else { return false }
            state.web.open = 1
            state.web.opened += 1
            return true
        }
    }

    /// The sheet is in a window of the app.
    public func putSheet(in window: AnyObject) {
        with {
            $0.web.window = ObjectIdentifier(window)
            $0.web.isGone = false
        }
    }

    /// Whether the sheet has left the screen with its window.
    public var sheetIsGone: Bool { snapshot.web.isGone }

    /// A window has left the screen: a sheet that was in it is gone, without a notice (Auth0.swift issue 435).
    public func windowIsGone(_ window: AnyObject) {
        with { state in
            guard state.web.open > 0, state.web.window == ObjectIdentifier(window) else { return }
            state.web.isGone = true
        }
    }

    /// A sheet is gone.
    public func closeSheet() { with { $0.web.open = 0 } }

    /// Hands a report to the app: in the system's own time, on the system's own thread, once or twice.
    public func report(_ deliver: @escaping @Sendable () -> Void) {
        let ambiguities = snapshot.ambiguities
        let queue = ambiguities.webSessionReportsOffMain ? DispatchQueue(label: "simulated.xpc.reply") : .main
        let send: @Sendable () -> Void = {
            queue.async(execute: deliver)
            if ambiguities.webSessionReportsTwice { queue.async(execute: deliver) }
        }
        let isHeld = with { state in
            if state.web.holdsReports { state.web.held.append(send) }
            return state.web.holdsReports
        }
        if !isHeld { send() }
    }

    /// Delivers what was held back.
    public func deliverReports() {
        let held = with { state in
            defer { state.web.held = [] }
            state.web.holdsReports = false
            return state.web.held
        }
        for send in held { send() }
    }

    /// The number of waiting reports.
    public var heldReports: Int { snapshot.web.held.count }
}
