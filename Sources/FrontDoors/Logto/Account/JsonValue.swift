public import OstiaryJOSE

/// A JSON value under the names of Logto's SDK.
///
/// A Boolean is read as one before a number is tried: on some platforms `true` would pass for 1.
public enum JsonValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// Any number.
    case number(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// An array.
    case array([JsonValue])
    /// An object.
    case object(JsonObject)
    /// `null`.
    case null

    /// Takes a value as it was parsed.
    public init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(JsonValue.init))
        case .object(let object): self = .object(JsonObject(object))
        }
    }

    /// The value of a string.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The value of a number.
    public var numberValue: Double? { if case .number(let value) = self { value } else { nil } }
    /// The value of a Boolean.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var arrayValue: [JsonValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object.
    public var objectValue: JsonObject? { if case .object(let value) = self { value } else { nil } }
    /// Whether it is `null`.
    public var isNull: Bool { self == .null }
}

/// The members of a JSON object.
public typealias JsonObject = [String: JsonValue]

extension JsonObject {
    /// Takes an object as it was parsed.
    public init(_ object: JSONObject) {
        self.init(object.members.map { ($0.name, JsonValue($0.value)) }) { _, last in last }
    }
}

extension JsonValue: Codable {
    /// Reads any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JsonValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode(JsonObject.self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}
