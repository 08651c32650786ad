import Foundation
import SimulatedPlatform

/// The enrolled faces or fingers of the moment in which it was made.
@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(watchOS, unavailable)
open class LADomainState: NSObject {
    open var biometry: LADomainStateBiometry { LADomainStateBiometry() }
}

@available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
@available(watchOS, unavailable)
open class LADomainStateBiometry: NSObject {
    /// Changes with every face or finger that is added or removed; `nil` when biometry cannot be used now.
    open var stateHash: Data? {
        let biometry = SimulatedDevice.shared.snapshot.biometry
        guard biometry.kind != .none, biometry.enrolled, !biometry.lockedOut else { return nil }
        return Data("enrolment \(biometry.enrollmentGeneration)".utf8)
    }
}
