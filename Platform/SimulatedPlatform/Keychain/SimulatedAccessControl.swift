/// The stand-in of SecAccessControl; Hashable, as every Core Foundation type is in Swift.
public final class SimulatedAccessControl: Hashable, @unchecked Sendable {
    public let accessible: KeychainAccessible
    /// The bits of SecAccessControlCreateFlags.
    public let flags: UInt

    public init(accessible: KeychainAccessible, flags: UInt) {
        self.accessible = accessible
        self.flags = flags
    }

    /// Whether the system asks the user: for presence, either kind of biometry, or the passcode.
    public var asksUser: Bool { flags & 0b1_1011 != 0 }
    /// Whether a change of the enrolled faces or fingers invalidates the item.
    public var bindsCurrentBiometrySet: Bool { flags & (1 << 3) != 0 }
    /// Whether nothing but biometry will do.
    public var needsBiometry: Bool { flags & ((1 << 1) | (1 << 3)) != 0 && flags & (1 << 4) == 0 && flags & 1 == 0 }

    public static func == (left: SimulatedAccessControl, right: SimulatedAccessControl) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The members of an LAContext that the keychain and the enclave need.
public protocol SimulatedAuthenticationContext: AnyObject {
    var interactionNotAllowed: Bool { get }
    var localizedReason: String { get }
    var simulatedAlreadyAuthorized: Bool { get }
}
