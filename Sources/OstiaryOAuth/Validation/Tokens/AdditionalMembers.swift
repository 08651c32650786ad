package import OstiaryJOSE

extension TokenSet {
    /// Members of a token response that Ostiary does not interpret, such as a user's identifier or a second token.
    ///
    /// They come from the token endpoint without a signature, so none of them is a claim of an ID token. A `sub` here
    /// is as reliable as the token endpoint that sent it. Each value may be a secret, so it is a ``Secret``.
    ///
    /// Members are kept in the order of the response, at most 32 members of 16,384 bytes in all; one that does not fit
    /// is left out. (RFC 6749 section 5.1 lets a server add members.)
    public struct AdditionalMembers: Sendable, Hashable {
        /// The values as text, so that a nested value does not make a stored session too deep to be read.
        private var members = JSONObject()

        /// No members.
        init() {}

        /// Collects the members of a token response that Ostiary does not interpret.
        init(ofTokenResponse object: JSONObject) {
            for name in object.names where !Self.knownNames.contains(name) {
                guard let value = object[name], !value.isNull else { continue }
                insert(name, .string(Self.text(of: value)))
            }
        }

        /// Reads the output of ``stored()``.
        package init(stored object: JSONObject) {
            for member in object.members { insert(member.name, member.value) }
        }

        /// The members as an object for a sealed store.
        package func stored() -> JSONObject { members }

        /// The names, in the order of the response.
        public var names: [String] { members.names }

        /// Whether there are none.
        public var isEmpty: Bool { members.isEmpty }

        /// The value of a member: a string unchanged, any other value as JSON text; `nil` when there is none.
        public subscript(name: String) -> Secret? { members[name]?.string.map(Secret.init) }

        /// These members, updated with those of a later response.
        func updated(by later: TokenSet.AdditionalMembers) -> TokenSet.AdditionalMembers {
            var updated = later
            for member in members.members where later.members[member.name] == nil {
                updated.insert(member.name, member.value)
            }
            return updated
        }

        /// Whether a later response is about another user: both have a `sub`, and the two differ.
        func contradicts(_ later: TokenSet.AdditionalMembers) -> Bool {
            guard let before = self["sub"], let after = later["sub"] else { return false }
            return before != after
        }

        private mutating func insert(_ name: String, _ value: JSONValue) {
            var larger = members
            larger[name] = value
            guard larger.count <= Self.maximumCount, larger.encoded().count <= Self.maximumBytes else { return }
            members = larger
        }

        /// A string unchanged, any other value as JSON.
        private static func text(of value: JSONValue) -> String {
            if let text = value.string { return text }
            let object: JSONObject = ["": value]
            return String(decoding: object.encoded().dropFirst(#"{"":"#.utf8.count).dropLast(), as: UTF8.self)
        }

        private static let maximumCount = 32
        private static let maximumBytes = 16_384
        private static let knownNames: Set<String> = [
            "access_token", "error", "error_description", "error_uri", "expires_in", "id_token", "issued_token_type",
            "refresh_expires_in", "refresh_token", "refresh_token_expires_in", "refresh_token_timeout", "scope",
            "token_type",
        ]
    }
}

extension TokenSet.AdditionalMembers: CustomStringConvertible, CustomReflectable {
    /// The names; no value.
    public var description: String {
        "TokenSet.AdditionalMembers(\(names.map(\.debugDescription).joined(separator: ", ")))"
    }
    /// The names.
    public var customMirror: Mirror { Mirror(self, children: ["names": description]) }
}
