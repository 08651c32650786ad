#if canImport(Security)
    import Foundation

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

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
