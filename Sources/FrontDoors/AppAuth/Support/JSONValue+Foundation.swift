import Foundation
import OstiaryJOSE

extension JSONValue {
    /// The value as Foundation's JSON objects are.
    var foundation: any NSObject & NSCopying {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .number(let value): NSNumber(value: value)
        case .string(let value): NSString(string: value)
        case .array(let values): NSArray(array: values.map(\.foundation))
        case .object(let object): NSDictionary(dictionary: object.foundation)
        }
    }

    /// Takes one of Foundation's JSON objects, at most 16 levels deep.
    ///
    /// - Returns: `nil` for any other object.
    init?(foundation value: Any, depth: Int = 0) {
        guard depth < 16 else { return nil }
        switch value {
        case is NSNull: self = .null
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c", "B": self = .bool(number.boolValue)
            case "d", "f": self = .number(number.doubleValue)
            default: self = .integer(number.intValue)
            }
        case let text as String: self = .string(text)
        case let values as [Any]:
            let elements = values.compactMap { JSONValue(foundation: $0, depth: depth + 1) }
            guard elements.count == values.count else { return nil }
            self = .array(elements)
        case let members as [String: Any]:
            guard let object = JSONObject(foundation: members, depth: depth + 1) else { return nil }
            self = .object(object)
        default: return nil
        }
    }
}

extension JSONObject {
    /// The members as Foundation's JSON objects.
    var foundation: [String: any NSObject & NSCopying] {
        Dictionary(members.map { ($0.name, $0.value.foundation) }) { first, _ in first }
    }

    /// Takes a dictionary of Foundation's JSON objects; the members are ordered by name.
    init?(foundation members: [String: Any], depth: Int = 0) {
        self.init()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let value = JSONValue(foundation: value, depth: depth) else { return nil }
            self[name] = value
        }
    }

    /// The object without some members.
    func without(_ names: Set<String>) -> JSONObject {
        var rest = self
        for name in names { rest[name] = nil }
        return rest
    }
}
