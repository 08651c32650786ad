import OstiaryJOSE

extension Verdict {
    /// Checks a signature, and what of the header decides it.
    mutating func verified(
        _ token: UnverifiedJWT,
        by keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>,
        named name: String
    ) throws(SignInError) -> VerifiedJWT {
        let found = token.header.keyID.map { "\(token.header.algorithmName), kid \($0)" } ?? token.header.algorithmName
        let expected = algorithms.map(\.rawValue).sorted().joined(separator: " ")
        func entry(_ check: SignInError.Check, holds: Bool) -> Entry {
            let rule = "OpenID Connect Core section 3.1.3.7 rules 6 to 8"
            return Entry(name: name, check: check, rule: rule, holds: holds, expected: expected, found: found)
        }
        do throws(JOSEError) {
            let verified = try token.verified(by: keys, algorithms: algorithms)
            record(entry(.signature, holds: true))
            return verified
        } catch {
            let reason = TokenResponse.reason(of: error)
            if case .mismatch(let check) = reason { record(entry(check, holds: false)) }
            throw SignInError(stage, reason)
        }
    }
}
