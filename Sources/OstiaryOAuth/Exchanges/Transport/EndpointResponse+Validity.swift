import HTTPTypes
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EndpointResponse {
    /// The time for which the response is fresh according to its fields (RFC 9111 sections 4.2 and 5.2.2).
    ///
    /// An unreadable value counts as expired, not as missing: the server meant to limit the time.
    var validity: KeySetRequest.Answer.Validity {
        let age = Self.seconds(fields[.age] ?? "0") ?? 0
        if let directives = cacheControl {
            if directives.contains(where: { $0.name == "no-store" || $0.name == "no-cache" }) { return .lasting(.zero) }
            if let maximumAge = directives.first(where: { $0.name == "max-age" }) {
                let left = maximumAge.argument.flatMap(Self.seconds).map { max($0 - age, 0) }
                return .lasting(Duration(boundedSeconds: left ?? 0))
            }
        }
        guard let expires = fields[.expires] else { return .unsaid }
        guard let end = HTTPDate.date(expires) else { return .lasting(.zero) }
        guard let sent = fields[.date].flatMap(HTTPDate.date) else { return .until(end) }
        return .lasting(Duration(boundedSeconds: max(end.timeIntervalSince(sent) - age, 0)))
    }

    /// The entity tag of the response, if it is well-formed.
    var entityTag: String? { fields[.eTag].flatMap { EntityTag.isWellFormed($0) ? $0 : nil } }

    private var cacheControl: [(name: String, argument: Substring?)]? {
        fields[.cacheControl]?.split(separator: ",").map { directive in
            let parts = directive.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() } ?? ""
            return (name, parts.count == 2 ? parts[1] : nil)
        }
    }

    /// A number of seconds, digits only; quotation marks, which a sender should not use, are read over.
    private static func seconds(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: " ") }
        guard (1...18).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Double(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
}

/// The form of an entity tag. (RFC 9110 section 8.8.3)
enum EntityTag {
    /// Whether a text is an entity tag of at most 256 characters, all of them ASCII.
    static func isWellFormed(_ text: String) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.utf8.dropFirst(2) : text.utf8[...]
        guard text.utf8.count <= 256, quoted.count >= 2, quoted.first == 0x22, quoted.last == 0x22 else { return false }
        return quoted.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 }
    }
}
