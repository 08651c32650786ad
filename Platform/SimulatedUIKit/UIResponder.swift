import Foundation

/// documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {
    nonisolated public override init() { super.init() }
}

/// documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {}
