#if canImport(Security)
    import Foundation
    import OstiaryCompatibility
    import OstiaryOAuth
    import Security

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    extension KeychainStore {
        /// The check that the user has to pass to unlock a store's values, besides unlocking the device.
        ///
        /// The system makes the check when it opens the item, whose access control requires it. The app receives no
        /// Boolean that an attacker could change. (Apple, "Accessing keychain items with Face ID or Touch ID")
        public struct UserCheck: Sendable {
            /// The ways to pass the check.
            public enum Method: Sendable, Hashable {
                /// A face or finger that was enrolled when the value was written; a new enrolment makes it unreadable
                /// for good.
                case currentBiometry
                /// Any face or finger that is enrolled at the time of the check.
                case anyBiometry
                /// A face, a finger, or the device's passcode.
                case biometryOrPasscode

                var flags: SecAccessControlCreateFlags {
                    switch self {
                    case .currentBiometry: .biometryCurrentSet
                    case .anyBiometry: .biometryAny
                    case .biometryOrPasscode: .userPresence
                    }
                }
            }

            /// The way to pass the check.
            public var method: Method
            /// The time for which an unlocked value needs no other check in this process.
            ///
            /// Default 0: each read asks the user.
            public var relockTime: Duration
            let reason: @Sendable () -> String

            /// Requires a check.
            ///
            /// - Parameters:
            ///   - method: The way to pass the check. Default: a face or finger enrolled when the value was written.
            ///   - relockTime: The time from an unlock to the next check, 0 or more. Default 0.
            ///   - reason: Returns the purpose for the prompt, in the user's language; called at each prompt.
            public init(
                _ method: Method = .currentBiometry,
                relockTime: Duration = .zero,
                reason: @escaping @Sendable () -> String
            ) {
                self.method = method
                self.relockTime = max(.zero, relockTime)
                self.reason = reason
            }
        }
    }

    extension KeychainStore.UserCheck {
        /// The access control of a guarded item; a device without a passcode can hold no such item.
        func accessControl() throws(KeychainError) -> SecAccessControl {
            let control = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                method.flags,
                nil
            )
            guard let control else { throw .unavailable }
            return control
        }
    }

    /// Values that the user has unlocked, until the next check is due.
    final class UnlockedValues: Sendable {
        private struct Value {
            var bytes: [UInt8]
            let unlocked: Double
        }

        private let lifetime: Double
        private let clock: DeviceClock
        private let values = Lock<[StoreKey: Value]>([:])

        init(lasting lifetime: Duration, clock: DeviceClock) {
            self.lifetime = lifetime.inSeconds
            self.clock = clock
        }

        subscript(key: StoreKey) -> [UInt8]? {
            let now = clock.uptime()
            return values.withLock { values in
                guard let value = values[key] else { return nil }
                guard now - value.unlocked < lifetime else {
                    values[key] = nil
                    return nil
                }
                return value.bytes
            }
        }

        func insert(_ bytes: [UInt8], for key: StoreKey) {
            guard lifetime > 0 else { return }
            let now = clock.uptime()
            values.withLock { $0[key] = Value(bytes: bytes, unlocked: now) }
        }

        /// Keeps a new value until the old one would have expired: writing is not unlocking.
        func replace(_ key: StoreKey, with bytes: [UInt8]) {
            values.withLock { $0[key]?.bytes = bytes }
        }

        func remove(_ key: StoreKey) { values.withLock { $0[key] = nil } }
        func removeAll() { values.withLock { $0 = [:] } }
    }

    /// The enrolled faces or fingers, as bytes that change when one is added or removed.
    struct Enrolment: Sendable, Hashable {
        /// The stored form; never empty.
        let bytes: [UInt8]

        /// The prefix that marks a hash of systems before iOS 18, macOS 15 and visionOS 2, which differs from later
        /// ones.
        private static let evaluated = Array("evaluated ".utf8)

        /// Reads stored bytes; `nil` for no bytes, which record an unknown enrolment.
        init?(_ bytes: some Collection<UInt8>) {
            guard !bytes.isEmpty else { return nil }
            self.bytes = Array(bytes)
        }

        /// Whether two enrolments differ.
        ///
        /// Hashes of different systems are not comparable and count as no change.
        func hasChanged(to other: Enrolment) -> Bool {
            isEvaluated == other.isEvaluated && bytes != other.bytes
        }

        private var isEvaluated: Bool { bytes.starts(with: Self.evaluated) }

        #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            /// The current enrolment; `nil` when biometry cannot be used now.
            static func current() -> Enrolment? {
                if #available(iOS 18, macOS 15, visionOS 2, *) {
                    LAContext().domainState.biometry.stateHash.flatMap { Enrolment($0) }
                } else {
                    evaluatedNow()
                }
            }

            /// The current enrolment on a system before iOS 18, macOS 15 and visionOS 2.
            static func evaluatedNow() -> Enrolment? {
                let context = LAContext()
                // The context has a hash only after it has evaluated the policy, which shows nothing to the user.
                guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else {
                    return nil
                }
                return context.evaluatedPolicyDomainState.flatMap { Enrolment(evaluated + $0) }
            }
        #else
            /// Apple TV and Apple Watch have no biometry.
            static func current() -> Enrolment? { nil }
        #endif
    }
#endif
