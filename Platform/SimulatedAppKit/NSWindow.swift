import Foundation
import SimulatedPlatform

/// documentation/appkit/nsresponder
@MainActor open class NSResponder: NSObject {
    nonisolated public override init() { super.init() }
}

/// documentation/appkit/nswindow
@MainActor open class NSWindow: NSResponder {
    /// documentation/appkit/nswindow/level-swift.struct
    public struct Level: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let normal = Level(rawValue: 0)
        public static let floating = Level(rawValue: 3)
        public static let statusBar = Level(rawValue: 25)
    }

    open internal(set) var isKeyWindow = false
    open internal(set) var isMainWindow = false
    open internal(set) var isVisible: Bool {
        get {
            SimulatedDevice.shared.with { $0.windowLooks += 1 }
            return simulatedVisibility
        }
        set { simulatedVisibility = newValue }
    }
    private var simulatedVisibility = true
    open var level = Level.normal
}
