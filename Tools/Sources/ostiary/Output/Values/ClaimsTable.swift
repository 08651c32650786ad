import Foundation
import OstiaryJOSE

/// Names and values in two columns, one pair on a line.
struct ClaimsTable {
    private var rows: [(name: String, value: String)] = []

    /// An empty table.
    init() {}

    /// A table of claims; times are written as dates, and every value is escaped.
    init(_ claims: JSONObject) {
        for claim in claims.members {
            rows.append((claim.name.printable, Self.text(of: claim.value, named: claim.name)))
        }
    }

    /// Adds a line.
    mutating func add(_ name: String, _ value: String) { rows.append((name.printable, value.printable)) }

    /// The lines, each indented.
    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            "  " + row.name + String(repeating: " ", count: width - row.name.count + 2) + row.value + "\n"
        }.joined()
    }

    private static let times: Set = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    private static func text(of value: JSONValue, named name: String) -> String {
        // A value in milliseconds is not a NumericDate.
        if times.contains(name), let seconds = value.number, seconds < 100_000_000_000 {
            return Date(timeIntervalSince1970: seconds).internetTime
        }
        return switch value {
        case .string(let text): text.printable
        case .array(let values) where values.allSatisfy({ $0.string != nil }):
            values.compactMap(\.string).joined(separator: ", ").printable
        default: (["": value] as JSONObject).printable.dropFirst(4).dropLast().description
        }
    }
}

extension Date {
    /// The time in UTC as RFC 3339 writes it.
    var internetTime: String { ISO8601Format() }
}
