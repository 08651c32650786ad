import Dispatch
import Foundation
import SimulatedPlatform

extension ProcessInfo {
    /// Runs a block that keeps the process from being suspended until it returns.
    ///
    /// When the time is up the same block is called with true beside the first call; when there is no time at all it is
    /// called with true alone (documentation/foundation/processinfo/performexpiringactivity(withreason:using:)).
    @available(macOS, unavailable)
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        let device = SimulatedDevice.shared
        let id = device.beginTask(reason) { block(true) }
        DispatchQueue.global().async {
            block(id == nil)
            if let id { device.endTask(id) }
        }
    }
}
