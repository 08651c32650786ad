/// Something on the screen (documentation/appkit/nsview).
@MainActor open class NSView: NSResponder {
    private weak var windowItStandsIn: NSWindow?

    public override init() { super.init() }

    /// The window that it stands in; `nil` as long as it stands in none (documentation/appkit/nsview/window).
    open var window: NSWindow? { windowItStandsIn }
    /// Told when it has come to stand in another window (documentation/appkit/nsview/viewdidmovetowindow()).
    open func viewDidMoveToWindow() {}
}

extension NSView {
    /// Puts the view into a window, or takes it out of the one that it stands in.
    public func simulateMove(to window: NSWindow?) {
        windowItStandsIn = window
        viewDidMoveToWindow()
    }
}
