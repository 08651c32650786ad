import Foundation

extension SimulatedDevice {
    public func enclaveStore(_ key: AnyObject & Sendable, _ control: SimulatedAccessControl) -> Data {
        let handle = Data(UUID().uuidString.utf8)
        with {
            $0.enclave[handle] = State.EnclaveKey(
                key: key,
                control: control,
                biometryGeneration: $0.biometry.enrollmentGeneration
            )
        }
        return handle
    }

    public func enclaveKey(_ handle: Data) -> (AnyObject, SimulatedAccessControl)? {
        with { state in state.enclave[handle].map { ($0.key, $0.control) } }
    }

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
