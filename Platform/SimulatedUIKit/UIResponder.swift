import Foundation

/// documentation/uikit/uiresponder
@available(watchOS, unavailable)
@MainActor open class UIResponder: NSObject {
    nonisolated public override init() { super.init() }
}

/// documentation/uikit/uiviewcontroller
@available(watchOS, unavailable)
@MainActor open class UIViewController: UIResponder {}
