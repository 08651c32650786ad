import OstiaryJOSE

/// A JSON file that an app may take its settings from.
struct ConfigurationFile: Sendable {
    /// A member whose value is a string.
    struct Member: Sendable {
        let name: String
        let path: String
        let value: String
        let line: Int?
    }

    let path: String
    /// The members; empty when the file is not one small JSON object.
    let members: [Member]

    init(_ file: ProjectFiles.File) {
        path = file.path
        let limits = JSONLimits(maximumBytes: 65_536, maximumDepth: 8, maximumMembers: 2_000)
        guard let object = try? JSONObject(parsing: file.bytes, limits: limits) else {
            members = []
            return
        }
        let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        members = Self.strings(of: .object(object), named: "", at: "").map { name, path, value in
            // The reader gives no lines: the first line that has both is the one, or looks the same.
            let index = lines.firstIndex { $0.contains("\"\(name)\"") && $0.contains("\"\(value)\"") }
            return Member(name: name, path: path, value: value, line: index.map { $0 + 1 })
        }
    }

    private static func strings(
        of value: JSONValue,
        named name: String,
        at path: String
    ) -> [(name: String, path: String, value: String)] {
        switch value {
        case .string(let text): [(name, path, text)]
        case .array(let elements): elements.enumerated().flatMap { strings(of: $1, named: name, at: path + "[\($0)]") }
        case .object(let object):
            object.members.flatMap {
                strings(of: $0.value, named: $0.name, at: path.isEmpty ? $0.name : "\(path).\($0.name)")
            }
        default: []
        }
    }

    /// The redirect URIs that it names as such.
    var redirects: [RedirectInUse] {
        members.filter { RedirectInUse.isName($0.name) && $0.value.contains(":") }.map {
            RedirectInUse($0.value, at: Finding.Place(file: path, line: $0.line, key: $0.path))
        }
    }
}

extension ListFile {
    /// The redirect URIs that its own members name as such.
    var redirects: [RedirectInUse] {
        guard !path.isOfTests else { return [] }
        return root.members.filter { RedirectInUse.isName($0.key) }.compactMap { member in
            guard let text = member.value.string, text.contains(":"), !text.contains("$(") else { return nil }
            let place = Finding.Place(file: path, line: member.value.line ?? member.line, key: member.key)
            return RedirectInUse(text, at: place)
        }
    }
}
