import Foundation

/// documentation/uikit/uiresponder
@available(watchOS, unavailable)
@MainActor open class UIResponder: NSObject {
    nonisolated public override init() { super.init() }
}

/// documentation/uikit/uiviewcontroller
@available(watchOS, unavailable)
@MainActor open class UIViewController: UIResponder {
    private var loadedView: UIView?

    public override init() { super.init() }

    /// The root of its views, made when it is first read, and again after it was set to `nil`
    /// (documentation/uikit/uiviewcontroller/view).
    open var view: UIView! {
        get {
            if loadedView == nil { loadView() }
            return loadedView
        }
        set { loadedView = newValue }
    }

    /// The root of its views; `nil` while none is loaded, and nothing is loaded by reading it
    /// (documentation/uikit/uiviewcontroller/viewifloaded).
    open var viewIfLoaded: UIView? { loadedView }
    /// documentation/uikit/uiviewcontroller/isviewloaded
    open var isViewLoaded: Bool { loadedView != nil }

    /// documentation/uikit/uiviewcontroller/loadview()
    open func loadView() { loadedView = UIView() }
}
