/// Something on the screen (documentation/uikit/uiview).
@available(watchOS, unavailable)
@MainActor open class UIView: UIResponder {
    private weak var windowItStandsIn: UIWindow?

    public override init() { super.init() }

    /// The window that it stands in; `nil` as long as it stands in none (documentation/uikit/uiview/window).
    open var window: UIWindow? { windowItStandsIn }
    /// Told when it has come to stand in another window (documentation/uikit/uiview/didmovetowindow()).
    open func didMoveToWindow() {}
}

@available(watchOS, unavailable)
extension UIView {
    /// Puts the view into a window, or takes it out of the one that it stands in.
    public func simulateMove(to window: UIWindow?) {
        windowItStandsIn = window
        didMoveToWindow()
    }
}
