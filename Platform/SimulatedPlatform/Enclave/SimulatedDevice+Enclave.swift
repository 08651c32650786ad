import Foundation

/// An error of an enclave.
public enum EnclaveReport: Sendable, CaseIterable {
    /// errSecInteractionNotAllowed
    case interactionNotAllowed
    /// TKError.authenticationNeeded
    case authenticationNeeded
    /// TKError.communicationError
    case noAnswer
    /// TKError.corruptedData
    case foreign
    /// A code that no document has.
    case undocumented

    /// As the system reports it.
    public var error: NSError {
        switch self {
        case .interactionNotAllowed: NSError(domain: NSOSStatusErrorDomain, code: -25308)
        case .authenticationNeeded: NSError(domain: "CryptoTokenKit", code: -9)
        case .noAnswer: NSError(domain: "CryptoTokenKit", code: -2)
        case .foreign: NSError(domain: "CryptoTokenKit", code: -3)
        case .undocumented: NSError(domain: "CryptoTokenKit", code: -9_999)
        }
    }
}

/// The content of the simulated Secure Enclave: keys that never leave it, by the handles that it gave out.
extension SimulatedDevice {
    /// Keeps a new key.
    ///
    /// - Returns: The handle, which is of use on this device only.
    public func enclaveStore(
        _ key: AnyObject & Sendable,
        _ control: SimulatedAccessControl,
        publicKey: Data
    ) -> Data {
        let handle = Data(UUID().uuidString.utf8) + publicKey
        with {
            $0.enclave[handle] = State.EnclaveKey(
                key: key,
                control: control,
                biometryGeneration: $0.biometry.enrollmentGeneration
            )
        }
        return handle
    }

    /// The key of a handle; `nil` on every other device.
    public func enclaveKey(_ handle: Data) -> (AnyObject, SimulatedAccessControl)? {
        with { state in state.enclave[handle].map { ($0.key, $0.control) } }
    }

    /// The number of keys.
    public var enclaveKeyCount: Int { snapshot.enclave.count }

    /// Whether a key may sign now: its class is open, and the user, where the system asks, agrees.
    public func enclaveMayUse(_ handle: Data, _ context: (any SimulatedAuthenticationContext)?) -> Bool {
        let state = snapshot
        guard let key = state.enclave[handle], key.control.accessible.isOpen(state.lock) else { return false }
        if key.control.bindsCurrentBiometrySet, key.biometryGeneration != state.biometry.enrollmentGeneration {
            return false
        }
        guard key.control.asksUser, context?.simulatedAlreadyAuthorized != true else { return true }
        if context?.interactionNotAllowed == true { return false }
        return prompt(reason: context?.localizedReason ?? "") == .approve
    }
}

extension SimulatedDevice.State {
    /// The access controls of the enclave's keys.
    public var enclaveControls: [SimulatedAccessControl] { enclave.values.map(\.control) }
}
