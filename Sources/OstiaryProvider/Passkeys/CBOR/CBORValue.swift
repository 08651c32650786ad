/// A value of the CBOR that authenticators write. (RFC 8949; Client to Authenticator Protocol 2.1 section 8)
package enum CBORValue: Sendable, Hashable {
    /// An integer.
    case integer(Int64)
    /// A byte string.
    case bytes([UInt8])
    /// A text string.
    case text(String)
    /// An array.
    case array([CBORValue])
    /// A map.
    case map(CBORMap)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// The integer; `nil` for another type.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The byte string; `nil` for another type.
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The text string; `nil` for another type.
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The map; `nil` for another type.
    package var map: CBORMap? { if case .map(let value) = self { value } else { nil } }
}

/// A map whose keys are integers and texts, each of them once.
package struct CBORMap: Sendable, Hashable {
    /// A key of a map.
    package enum Key: Sendable, Hashable {
        /// An integer, such as the labels of a COSE key.
        case integer(Int64)
        /// The UTF-8 of a text: two spellings of one character are two keys.
        case text([UInt8])
    }

    private var members: [Key: CBORValue] = [:]

    /// The number of members.
    package var count: Int { members.count }
    /// The value of a text key.
    package subscript(_ name: String) -> CBORValue? { members[.text(Array(name.utf8))] }
    /// The value of an integer key.
    package subscript(_ label: Int64) -> CBORValue? { members[.integer(label)] }

    /// Adds a member, and returns whether the key is new.
    mutating func add(_ value: CBORValue, for key: Key) -> Bool {
        guard members[key] == nil else { return false }
        members[key] = value
        return true
    }
}
