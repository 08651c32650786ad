/// A JSON value. (RFC 8259 section 3)
///
/// Strings are equal when their characters are the same code points. Swift's own `==` on `String` also equates
/// different spellings of a character, which would let one subject pass for another.
public enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits `Int`.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a Boolean.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a number that was written as an integer.
    public var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value of any number, such as a NumericDate, which may have a fraction. (RFC 7519 section 2)
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// A number without its fraction, such as seconds since 1970: an integer where it fits `Int`.
    ///
    /// On a watch `Int` has 32 bits, which the seconds exceed in 2038.
    package static func whole(_ number: Double) -> JSONValue {
        let number = number.rounded(.towardZero)
        return Int(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    /// The value of a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements of an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSONValue: Hashable {
    /// Whether both are the same kind of value with the same content.
    public static func == (first: JSONValue, second: JSONValue) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.number(let first), .number(let second)): first == second
        case (.string(let first), .string(let second)): first.hasSameCodePoints(as: second)
        case (.array(let first), .array(let second)): first == second
        case (.object(let first), .object(let second)): first == second
        default: false
        }
    }

    /// Feeds the content to the hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): CodePoints(value).hash(into: &hasher)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}
