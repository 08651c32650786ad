#if canImport(Security)
    import Foundation

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    /// The faces or fingers that are enrolled, as bytes that change when one is added or removed.
    struct Enrolment: Sendable, Hashable {
        /// As it is stored; never empty.
        let bytes: [UInt8]

        /// Systems before iOS 18, macOS 15 and visionOS 2 have another hash, which begins with this.
        private static let evaluated = Array("evaluated ".utf8)

        /// Reads what was stored; `nil` when nothing was known.
        init?(_ bytes: some Collection<UInt8>) {
            guard !bytes.isEmpty else { return nil }
            self.bytes = Array(bytes)
        }

        /// Whether two enrolments differ.
        ///
        /// Hashes of different systems cannot be compared and are no change.
        func hasChanged(to other: Enrolment) -> Bool {
            isEvaluated == other.isEvaluated && bytes != other.bytes
        }

        private var isEvaluated: Bool { bytes.starts(with: Self.evaluated) }

        #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            /// The enrolment of now; `nil` when biometry cannot be used now.
            static func current() -> Enrolment? {
                if #available(iOS 18, macOS 15, visionOS 2, *) {
                    LAContext().domainState.biometry.stateHash.flatMap { Enrolment($0) }
                } else {
                    evaluatedNow()
                }
            }

            /// The enrolment of now on a system before iOS 18, macOS 15 and visionOS 2.
            static func evaluatedNow() -> Enrolment? {
                let context = LAContext()
                // The context has a hash only after it was asked for the policy; asking shows nothing to the user.
                guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else {
                    return nil
                }
                return context.evaluatedPolicyDomainState.flatMap { Enrolment(evaluated + $0) }
            }
        #else
            /// A television or a watch has no biometry.
            static func current() -> Enrolment? { nil }
        #endif
    }
#endif
