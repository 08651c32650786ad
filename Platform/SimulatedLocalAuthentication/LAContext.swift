import Foundation
import Security
import SimulatedPlatform

// Not Sendable, as every NSObject subclass without an annotation.
@available(tvOS, unavailable)
open class LAContext: NSObject, SimulatedAuthenticationContext {
    @available(watchOS, unavailable)
    open var localizedReason = ""
    @available(watchOS, unavailable)
    open var localizedFallbackTitle: String?
    open var localizedCancelTitle: String?
    open var interactionNotAllowed = false
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval = 0
    public private(set) var simulatedAlreadyAuthorized = false
    private var invalidated = false

    public override init() { super.init() }

    open var biometryType: LABiometryType {
        switch SimulatedDevice.shared.snapshot.biometry.kind {
        case .none: .none
        case .touchID: .touchID
        case .faceID: .faceID
        }
    }

    /// The enrolled faces or fingers, as a hash that changes with them.
    @available(iOS 18.0, macOS 15.0, visionOS 2.0, *)
    @available(watchOS, unavailable)
    open var domainState: LADomainState { LADomainState() }

    /// The same for older systems: after a biometric policy was found to be possible, and `nil` before.
    @available(iOS, introduced: 9.0, deprecated: 18.0)
    @available(macCatalyst, introduced: 13.1, deprecated: 18.0)
    @available(macOS, introduced: 10.11, deprecated: 15.0)
    @available(visionOS, introduced: 1.0, deprecated: 2.0)
    @available(watchOS, unavailable)
    open var evaluatedPolicyDomainState: Data? { evaluatedState }
    private var evaluatedState: Data?

    private func obstacle(_ policy: LAPolicy) -> LAError? {
        let state = SimulatedDevice.shared.snapshot
        if invalidated { return LAError(.invalidContext) }
        if !state.passcodeSet { return LAError(.passcodeNotSet) }
        guard policy == .deviceOwnerAuthenticationWithBiometrics else { return nil }
        if state.biometry.kind == .none { return LAError(.biometryNotAvailable) }
        if !state.biometry.enrolled { return LAError(.biometryNotEnrolled) }
        if state.biometry.lockedOut { return LAError(.biometryLockout) }
        return nil
    }

    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        guard let obstacle = obstacle(policy) else {
            if policy == .deviceOwnerAuthenticationWithBiometrics {
                evaluatedState = Data("evaluated \(SimulatedDevice.shared.snapshot.biometry.enrollmentGeneration)".utf8)
            }
            return true
        }
        error?.pointee = obstacle as NSError
        return false
    }

    @available(*, renamed: "evaluatePolicy(_:localizedReason:)")
    open func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        if localizedReason.isEmpty { SimulatedDevice.shared.violation("empty localizedReason") }
        let obstacle = obstacle(policy)
        let forbidden = interactionNotAllowed
        nonisolated(unsafe) let context = self
        DispatchQueue.global().async {
            if let obstacle { return reply(false, obstacle) }
            if forbidden { return reply(false, LAError(.notInteractive)) }
            switch SimulatedDevice.shared.prompt(reason: localizedReason) {
            case .approve:
                context.simulatedAlreadyAuthorized = true
                reply(true, nil)
            case .cancel: reply(false, LAError(.userCancel))
            case .fail: reply(false, LAError(.authenticationFailed))
            case .fallback: reply(false, LAError(.userFallback))
            }
        }
    }

    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { success, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: success) }
            }
        }
    }

    open func invalidate() { invalidated = true }
}
