import OstiaryJOSE

/// A pattern for the URLs that open an app (Apple: "applinks.Details.Components").
struct LinkPattern: Sendable {
    /// The pattern of the path.
    let path: String
    let excludes: Bool
    private let query: JSONValue?
    private let fragment: String
    private let ignoresCase: Bool

    /// A member of `components`.
    init(component: JSONObject, defaults: JSONObject?) {
        path = component["/"]?.string ?? "*"
        query = component["?"]
        fragment = component["#"]?.string ?? "*"
        excludes = component["exclude"]?.bool ?? false
        ignoresCase = (component["caseSensitive"]?.bool ?? defaults?["caseSensitive"]?.bool) == false
    }

    /// A member of `paths`, the form before iOS 13.
    init(path: String) {
        excludes = path.hasPrefix("NOT ")
        self.path = excludes ? String(path.dropFirst(4)) : path
        query = nil
        fragment = "*"
        ignoresCase = false
    }

    /// Whether the URL that the provider sends the browser to matches: the redirect URI with `code` and `state`.
    func matches(_ redirect: RedirectInUse) -> Bool {
        let query = redirect.query + (redirect.query.isEmpty ? "" : "&") + "code=x&state=x"
        return Self.matches(path, redirect.path, ignoresCase) && Self.matches(fragment, "", ignoresCase)
            && matchesQuery(query)
    }

    private func matchesQuery(_ text: String) -> Bool {
        switch query {
        case .string(let pattern)?: return Self.matches(pattern, text, ignoresCase)
        case .object(let patterns)?:
            let items = text.split(separator: "&").map { item in
                (name: item.prefix { $0 != "=" }, value: item.drop { $0 != "=" }.dropFirst())
            }
            return patterns.members.allSatisfy { name, pattern in
                items.contains { $0.name == name && Self.matches(pattern.string ?? "*", String($0.value), ignoresCase) }
            }
        default: return true
        }
    }

    /// `*` stands for anything, `?` for one character; a variable `$(…)` is taken for anything.
    private static func matches(_ pattern: String, _ text: String, _ ignoresCase: Bool) -> Bool {
        var pattern = pattern
        while let start = pattern.firstRange(of: "$("), let end = pattern[start.upperBound...].firstIndex(of: ")") {
            pattern.replaceSubrange(start.lowerBound...end, with: "*")
        }
        return matches(
            Array((ignoresCase ? pattern.lowercased() : pattern).utf8),
            Array((ignoresCase ? text.lowercased() : text).utf8)
        )
    }

    /// In time that grows with the product of both lengths, whatever the pattern.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var position = 0
        var place = 0
        var star: Int?
        var mark = 0
        while place < text.count {
            if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
                star = position
                mark = place
                position += 1
            } else if position < pattern.count,
                pattern[position] == UInt8(ascii: "?") || pattern[position] == text[place]
            {
                position += 1
                place += 1
            } else if let star {
                position = star + 1
                mark += 1
                place = mark
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
