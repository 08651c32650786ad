/// The build settings that hold for a target, with the lines that set them.
package struct BuildSettings: Sendable {
    struct Setting: Sendable, Hashable {
        let value: String
        let file: String
        let line: Int?
    }

    private var settings: [String: Setting] = [:]

    mutating func set(_ name: String, _ setting: Setting) { settings[name] = setting }

    /// Adds the settings of the other value that are not set here.
    mutating func inherit(from other: BuildSettings) {
        settings.merge(other.settings) { own, _ in own }
    }

    /// A setting as written; a conditional one (`NAME[sdk=…]`) where there is no unconditional one.
    subscript(_ name: String) -> Setting? {
        settings[name]
            ?? settings.keys.filter { $0.hasPrefix(name + "[") }.sorted().first.flatMap { settings[$0] }
    }

    /// The names that begin so.
    func names(withPrefix prefix: String) -> [String] { settings.keys.filter { $0.hasPrefix(prefix) }.sorted() }

    func isYes(_ name: String) -> Bool { self[name].map { value(of: $0.value).isYes } ?? false }

    /// The value of a setting with the settings in it put in.
    func value(named name: String) -> String? { self[name].map { value(of: $0.value) } }

    /// Replaces `$(NAME)` in a text where the setting is known.
    func value(of text: String, depth: Int = 0) -> String {
        guard depth < 8, text.utf8.count <= 4_096, let start = text.firstIndex(of: "$") else { return text }
        let after = text[text.index(after: start)...]
        guard let open = after.first, open == "(" || open == "{",
            let end = after.firstIndex(of: open == "(" ? ")" : "}")
        else { return text }
        // `$(NAME:modifier)`: only what changes nothing of interest is written in project files.
        let name = after[after.index(after: after.startIndex)..<end].prefix { $0 != ":" }
        let rest = value(of: String(after[after.index(after: end)...]), depth: depth + 1)
        let known = self[String(name)].map { value(of: $0.value, depth: depth + 1) }
        return String(text[..<start]) + (known ?? "$(\(name))") + rest
    }
}

extension BuildSettings {
    /// Reads an `.xcconfig` file, which has `NAME = value` on each line, and comments.
    ///
    /// Its includes are not followed: those files are read on their own.
    init(configuration file: ProjectFiles.File) {
        self.init()
        let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.commentLess
            guard let equals = text.firstIndex(of: "=") else { continue }
            let name = text[..<equals].filter { !$0.isWhitespace }
            let value = text[text.index(after: equals)...].trimmed
            guard !name.isEmpty, !name.hasPrefix("#") else { continue }
            set(String(name), Setting(value: value, file: file.path, line: index + 1))
        }
    }
}

extension StringProtocol {
    fileprivate var commentLess: String {
        guard let slashes = firstRange(of: "//") else { return String(self) }
        return String(self[..<slashes.lowerBound])
    }

    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
