extension SignInError {
    /// The values that a failed check compared; neither is ever secret.
    public struct Evidence: Sendable, Hashable {
        /// The expected value; `nil` when the check accepts several.
        public let expected: String?
        /// The value that was received; `nil` for none.
        public let found: String?
        /// The setting of the app that excludes the received value; `nil` for none.
        public let setting: String?

        init(expected: String?, found: String?, setting: String? = nil) {
            self.expected = expected
            self.found = found
            self.setting = setting
        }
    }

    /// Makes the error of a failed check, with the values that it compared.
    init(_ stage: Stage, failing check: Check, _ evidence: Evidence) {
        self.init(stage, .mismatch(check))
        self.evidence = evidence
    }

    /// Compares stage, reason, `retryAfter` and `requestID`, but no explanation of them.
    public static func == (left: SignInError, right: SignInError) -> Bool {
        left.stage == right.stage && left.reason == right.reason && left.retryAfter == right.retryAfter
            && left.requestID == right.requestID
    }

    /// Hashes the values that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(stage)
        hasher.combine(reason)
        hasher.combine(retryAfter)
        hasher.combine(requestID)
    }
}

extension SignInError.Evidence {
    /// The message of a check that is clearer with its values; `nil` for the check's own message.
    func sentence(of check: SignInError.Check) -> String? {
        switch check {
        case .metadataIssuer:
            guard let expected, let found else { return nil }
            return
                "The metadata names the issuer \(found), and the app \(expected): if you trust it, use it character by "
                + "character."
        case .issuer where found == nil:
            return expected.map { "The response does not name its issuer (iss); expected: \($0)." }
        case .algorithm:
            guard let expected, let found else { return nil }
            let advice =
                setting.map { " \($0) excludes it: change that setting, or have the server sign with an allowed one." }
                ?? ""
            return "The signature's algorithm is not allowed (alg); found: \(found), allowed: \(expected)." + advice
        default: return nil
        }
    }
}
