import OstiaryJOSE

extension AccessTokenRefusal {
    /// The format of a rejected token and the expected one, for logs; clients do not receive it.
    public struct Form: Sendable, Hashable {
        /// The header's `typ`, at most 64 printable characters of it; `nil` when it has none.
        public let found: String?
        /// The accepted values of `typ`, sorted; `nil` stands for a header without one.
        public let expected: [String?]
        /// The name of the policy's profile.
        public let profile: String
        /// The name of the profile that the token's format matches; `nil` when none does, as for an ID token.
        public let fitting: String?
        /// Whether the profile accepts the `typ`.
        public let hasType: Bool
        /// Whether the token has the profile's mark.
        public let hasMark: Bool

        init(type: String?, claims: JSONObject, expected profile: AccessTokenProfile) {
            // The sender controls the header: nothing in it may break a line of a log.
            found = type.map { String($0.unicodeScalars.prefix(64).map { $0.isPrintable ? Character($0) : "?" }) }
            let names = profile.types.compactMap { if case .named(let name) = $0 { name } else { nil } }
            expected = names.sorted() + (profile.types.contains(.absent) ? [nil] : [])
            self.profile = profile.name
            hasType = profile.accepts(type: type)
            hasMark = profile.mark.isOn(type: type, claims)
            let fitting = AccessTokenProfile.fitting(type: type, claims: claims)
            self.fitting = fitting == profile.name ? nil : fitting
        }
    }
}

extension AccessTokenRefusal.Form: CustomStringConvertible {
    /// The formats found and expected, and the matching profile, in one line.
    public var description: String {
        let wanted = expected.map { $0 ?? "none" }.joined(separator: " or ")
        let mark = hasMark ? "has" : "lacks"
        let advice = fitting.map { "it has the form of the profile \($0)" } ?? "no profile fits it, as for an ID token"
        return
            "typ is \(found ?? "none"), the profile \(profile) expects \(wanted); the token \(mark) its mark; \(advice)"
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool { (0x20...0x7E).contains(value) }
}
