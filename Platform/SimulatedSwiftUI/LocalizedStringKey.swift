import Foundation

/// A text's key in the app's tables of strings, with what is put into it (documentation/swiftui/localizedstringkey).
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    let key: String
    let arguments: [String]

    public init(_ value: String) {
        key = value
        arguments = []
    }

    public init(stringLiteral value: String) { self.init(value) }

    public init(stringInterpolation: StringInterpolation) {
        key = stringInterpolation.key
        arguments = stringInterpolation.arguments
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var arguments: [String] = []

        public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

        public mutating func appendLiteral(_ literal: String) { key += literal.replacing("%", with: "%%") }

        public mutating func appendInterpolation(_ string: String) { append("%@", string) }
        public mutating func appendInterpolation(_ number: Int) { append("%lld", "\(number)") }
        public mutating func appendInterpolation(_ number: Double) { append("%lf", "\(number)") }

        private mutating func append(_ format: String, _ argument: String) {
            key += format
            arguments.append(argument)
        }
    }

    /// The text in a language: from the table, or the key itself.
    func resolved(in locale: Locale, table: String?, bundle: Bundle) -> String {
        let format = SimulatedStrings.format(of: key, in: locale, table: table ?? "Localizable", bundle: bundle) ?? key
        return Self.fill(format, arguments)
    }

    /// Puts the arguments into `%@`, `%lld`, `%lf` and their numbered forms; `%%` is a per cent sign.
    static func fill(_ format: String, _ arguments: [String]) -> String {
        var result = ""
        var rest = Substring(format)
        var next = 0
        let placeholder = #/%(?:(?<place>[0-9]+)\$)?(?<kind>@|lld|lf|%)/#
        while let match = rest.firstMatch(of: placeholder) {
            result += rest[..<match.range.lowerBound]
            rest = rest[match.range.upperBound...]
            if match.kind == "%" {
                result += "%"
                continue
            }
            let place = match.place.flatMap { Int($0) }.map { $0 - 1 } ?? next
            next += 1
            if arguments.indices.contains(place) { result += arguments[place] }
        }
        return result + rest
    }
}
