#if canImport(Security)
    import Security

    extension KeychainStore {
        /// Who has to unlock what a store keeps, besides the device.
        ///
        /// The check is made by the system when it opens the item, which has it in its access control: there is no answer of
        /// yes or no that somebody could change. (Apple, "Accessing keychain items with Face ID or Touch ID")
        public struct PersonCheck: Sendable {
            /// Who may unlock.
            public enum Method: Sendable, Hashable {
                /// A face or finger that was enrolled when the value was written; a new one makes it unreadable for good.
                case currentBiometry
                /// Any face or finger that is enrolled at the time.
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

            /// Who may unlock.
            public var method: Method
            /// For how many seconds a value that was unlocked need not be unlocked again, in this process.
            ///
            /// Default 0: each reading asks.
            public var relockTime: Double
            let reason: @Sendable () -> String

            /// Asks for a person.
            ///
            /// - Parameters:
            ///   - method: Who may unlock.
            ///   - relockTime: Seconds, 0 or more.
            ///   - reason: What the prompt says it is for, in the person's language; asked for at each prompt.
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
        /// The access control of a guarded item: no passcode, no item.
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
