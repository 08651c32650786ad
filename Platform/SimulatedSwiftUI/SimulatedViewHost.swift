import Foundation
import Observation
import SimulatedFoundation
import SimulatedPlatform

/// An action of a user on a screen that cannot be done.
public enum SimulatedViewError: Error, Equatable {
    case noSuchElement(String)
    case severalElements(String)
    case disabled(String)
    /// An alert, a dialog or a sheet covers it.
    case covered(String)
}

/// A window with a view in it, and a user in front.
///
/// A change of anything that the body read draws the view again, at the next turn of the main queue or when a test looks.
@MainActor public final class SimulatedViewHost {
    /// When an alert's binding becomes false: Apple does not document whether before or after the button's action.
    public enum Dismissal: Sendable, CaseIterable { case beforeAction, afterAction }

    public var dismissal = Dismissal.afterAction
    /// The number of times that the view was drawn.
    public private(set) var passes = 0
    /// The environment that the system gives.
    public var environment: EnvironmentValues { didSet { invalidate() } }

    private let draw: @MainActor (SimulatedScope) -> [SimulatedElement]
    private var drawn: [SimulatedElement] = []
    private var isDirty = true
    private var isScheduled = false
    private(set) var isDrawing = false

    /// The values that views keep, by their identity.
    private var kept: [String: AnyObject] = [:]
    private var keptNow: Set<String> = []
    /// The parts of the screen with a life of their own: tasks, appearances.
    private var lives: [String: SimulatedLife] = [:]
    private var livesNow: [String: SimulatedLife.Declaration] = [:]
    /// The receivers of the URLs that the app is opened with.
    var urlActions: [(URL) -> Void] = []
    var activityActions: [(type: String, action: (NSUserActivity) -> Void)] = []
    var presented: [SimulatedElement] = []
    /// The native window that the view stands in.
    let window: AnyObject?

    public convenience init<Root: View>(
        _ root: Root,
        window: AnyObject? = nil,
        environment: EnvironmentValues = EnvironmentValues()
    ) {
        self.init(window: window, environment: environment) { $0.elements(of: root) }
    }

    init(
        window: AnyObject?,
        environment: EnvironmentValues,
        draw: @escaping @MainActor (SimulatedScope) -> [SimulatedElement]
    ) {
        self.window = window
        self.environment = environment
        self.draw = draw
        drawIfNeeded()
    }

    /// Draws again soon.
    func invalidate() {
        if isDrawing { SimulatedDevice.shared.violation("state changed while the view was drawn") }
        isDirty = true
        guard !isScheduled else { return }
        isScheduled = true
        Task { @MainActor in
            isScheduled = false
            drawIfNeeded()
        }
    }

    private func drawIfNeeded() {
        guard isDirty, !isDrawing else { return }
        var rounds = 0
        while isDirty {
            rounds += 1
            guard rounds <= 100 else {
                SimulatedDevice.shared.violation("drawing the view changes what it shows, without end")
                return
            }
            drawOnce()
            settleLives()
        }
    }

    private func drawOnce() {
        isDirty = false
        isDrawing = true
        defer { isDrawing = false }
        passes += 1
        keptNow = []
        livesNow = [:]
        urlActions = []
        activityActions = []
        presented = []
        let root = SimulatedScope(host: self, environment: environment)
        drawn = withObservationTracking {
            draw(root)
        } onChange: { [weak self] in
            guard let self else { return }
            // Told before the change: what is on the screen is old from now on.
            if SimulatedDevice.shared.isOnMainQueue {
                MainActor.assumeIsolated { self.invalidate() }
            } else {
                Task { @MainActor in self.invalidate() }
            }
        }
        kept = kept.filter { keptNow.contains($0.key) }
    }

    // MARK: What views keep

    /// The value that is kept at a place; made when it is new.
    func keep<Kept: AnyObject>(at path: String, _ make: () -> Kept) -> Kept {
        keptNow.insert(path)
        if let old = kept[path] as? Kept { return old }
        let new = make()
        kept[path] = new
        return new
    }

    func declare(_ declaration: SimulatedLife.Declaration, at path: String) { livesNow[path] = declaration }

    private func settleLives() {
        let (old, now) = (lives, livesNow)
        lives = [:]
        for (path, life) in old where now[path] == nil { life.end() }
        for (path, declaration) in now.sorted(by: { $0.key < $1.key }) {
            if let life = old[path] {
                lives[path] = life
                life.update(declaration)
            } else {
                lives[path] = SimulatedLife(declaration)
            }
        }
    }

    /// Takes the view off the screen: what it does ends.
    public func close() {
        for life in lives.values { life.end() }
        lives = [:]
    }

    // MARK: The user's view

    /// The elements on the screen; the covering one is last.
    public var screen: [SimulatedElement] {
        drawIfNeeded()
        return drawn + presented
    }

    /// Everything on the screen, in the order of reading.
    public var elements: [SimulatedElement] { screen.flatMap(\.all) }

    /// Every text on the screen.
    public var texts: [String] { elements.filter { $0.kind == .text }.map(\.text) }

    /// The label of every button that VoiceOver finds.
    public var buttons: [String] { reachable.filter { $0.kind == .button }.map(\.spokenLabel) }

    /// The alert on the screen.
    public var alert: SimulatedElement? { screen.last { $0.kind == .alert } }

    /// The elements that VoiceOver finds: nothing that is hidden, and no part of an element that is read as one.
    public var spoken: [SimulatedElement] { screen.flatMap(Self.spoken) }

    private static func spoken(_ element: SimulatedElement) -> [SimulatedElement] {
        if element.accessibility.isHidden { return [] }
        let isOne = element.accessibility.ignoresChildren || [.button, .toggle, .link].contains(element.kind)
        return [element] + (isOne ? [] : element.children.flatMap(spoken))
    }

    /// The elements that a finger reaches: the one that covers everything else, or else everything.
    private var reachable: [SimulatedElement] {
        let modal = screen.last { [.alert, .dialog, .sheet].contains($0.kind) }
        return (modal.map { [$0] } ?? screen).flatMap(Self.spoken)
    }

    /// Lets everything else go on until the screen shows something; the test's time limit is its only other end.
    public func until(_ condition: @MainActor (SimulatedViewHost) -> Bool) async {
        while !condition(self), !Task.isCancelled { await Task.yield() }
    }

    // MARK: The user's actions

    /// The one element with this label or identifier that can be touched.
    public func find(_ label: String, _ kinds: Set<SimulatedElement.Kind>) throws -> SimulatedElement {
        let isMatch = { (element: SimulatedElement) -> Bool in
            kinds.contains(element.kind)
                && (element.spokenLabel == label || element.accessibility.identifier == label)
        }
        let found = reachable.filter(isMatch)
        if found.isEmpty, spoken.contains(where: isMatch) { throw SimulatedViewError.covered(label) }
        guard let element = found.first else { throw SimulatedViewError.noSuchElement(label) }
        guard found.count == 1 else { throw SimulatedViewError.severalElements(label) }
        guard element.isEnabled else { throw SimulatedViewError.disabled(label) }
        return element
    }

    /// Taps a button.
    public func tap(_ label: String) throws {
        let element = try find(label, [.button, .link, .toggle, .tab])
        element.action?()
        drawIfNeeded()
    }

    /// Writes into a field.
    public func type(_ text: String, into label: String) throws {
        try find(label, [.textField, .secureField]).edit?(text)
        drawIfNeeded()
    }

    /// The system opens the app with a URL.
    ///
    /// Every handler gets it: which of several comes first is not documented.
    ///
    /// - Returns: Whether a view took it.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        drawIfNeeded()
        for action in urlActions { action(url) }
        drawIfNeeded()
        return !urlActions.isEmpty
    }

    /// The system hands the app an activity of the user's.
    @discardableResult
    public func `continue`(_ activity: NSUserActivity) -> Bool {
        drawIfNeeded()
        let wanted = activityActions.filter { $0.type == activity.activityType }
        for (_, action) in wanted { action(activity) }
        drawIfNeeded()
        return !wanted.isEmpty
    }
}
