// Stand-in for the part of LocalAuthentication this SDK uses.
import Foundation
import Security
import SimulatedPlatform

public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public enum LABiometryType: Int, Sendable {
    case none = 0
    case touchID = 1
    case faceID = 2
}

public let LAErrorDomain = "com.apple.LocalAuthentication"

public struct LAError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4, passcodeNotSet = -5
        case biometryNotAvailable = -6, biometryNotEnrolled = -7, biometryLockout = -8
        case appCancel = -9, invalidContext = -10, notInteractive = -1004
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
    public static var errorDomain: String { LAErrorDomain }
    public var errorCode: Int { code.rawValue }
}

// Not Sendable, as every NSObject subclass without an annotation.
open class LAContext: NSObject, SimulatedAuthenticationContext {
    open var localizedReason = ""
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
        guard let obstacle = obstacle(policy) else { return true }
        error?.pointee = obstacle as NSError
        return false
    }

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
