import OstiaryJOSE

/// The keys of a set that a signature is checked with.
package enum KeyChoice: Sendable, Hashable {
    /// The keys that the token's `kid` names, or every fitting one when it names none.
    case named
    /// Every fitting key, eight at most, whatever `kid` says: for the response to a refresh, after the named key
    /// failed.
    case every
}

extension Verdict {
    /// Checks a signature, and the header members that decide on it.
    ///
    /// `setting` is the setting of the app that decides on the algorithms, for the error.
    mutating func verified(
        _ token: UnverifiedJWT,
        by keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>,
        choosing choice: KeyChoice = .named,
        named name: String,
        setting: String? = nil
    ) throws(SignInError) -> VerifiedJWT {
        func expected() -> String { algorithms.map(\.rawValue).sorted().joined(separator: " ") }
        func entry(_ check: SignInError.Check, holds: Bool) -> Entry {
            let rule = "OpenID Connect Core section 3.1.3.7 rules 6 to 8"
            let algorithm = token.header.algorithmName
            let found = token.header.keyID.map { "\(algorithm), kid \($0)" } ?? algorithm
            return Entry(name: name, check: check, rule: rule, holds: holds, expected: expected(), found: found)
        }
        do throws(JOSEError) {
            let verified =
                switch choice {
                case .named: try token.verified(by: keys, algorithms: algorithms)
                case .every: try token.verified(byAnyOf: keys, algorithms: algorithms)
                }
            record(holds: true) { entry(.signature, holds: true) }
            return verified
        } catch {
            let reason = TokenResponse.reason(of: error)
            guard case .mismatch(let check) = reason else { throw SignInError(stage, reason) }
            record(holds: false) { entry(check, holds: false) }
            // The header is not signed yet: any text may stand there.
            let algorithm = token.header.algorithmName.unicodeScalars.prefix(40)
            let shown = String(String.UnicodeScalarView(algorithm.filter { $0.properties.generalCategory != .control }))
            throw SignInError(stage, failing: check, .init(expected: expected(), found: shown, setting: setting))
        }
    }
}
