#if canImport(Security)
    import Security

    extension KeychainStore {
        /// The check that the user has to pass to unlock a store's values, besides unlocking the device.
        ///
        /// The system makes the check when it opens the item, whose access control requires it. The app receives no
        /// Boolean that an attacker could change. (Apple, "Accessing keychain items with Face ID or Touch ID")
        public struct PersonCheck: Sendable {
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
            /// The time for which an unlocked value needs no other check in this process, in seconds.
            ///
            /// Default 0: each read asks the user.
            public var relockTime: Double
            let reason: @Sendable () -> String

            /// Requires a check.
            ///
            /// - Parameters:
            ///   - method: The way to pass the check. Default: a face or finger enrolled when the value was written.
            ///   - relockTime: Seconds from an unlock to the next check, 0 or more. Default 0.
            ///   - reason: Returns the purpose for the prompt, in the user's language; called at each prompt.
            public init(
                _ method: Method = .currentBiometry,
                relockTime: Double = 0,
                reason: @escaping @Sendable () -> String
            ) {
                self.method = method
                self.relockTime = max(0, relockTime)
                self.reason = reason
            }
        }
    }

    extension KeychainStore.PersonCheck {
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
#endif
