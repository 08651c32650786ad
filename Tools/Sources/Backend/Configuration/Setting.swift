import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// A value of the configuration, with its position.
///
/// Any string may be `{"file": "path"}`, which reads a file without the line break at its end, or
/// `{"environment": "NAME"}`, which reads a variable. A secret must be one of the two: many users can read the
/// configuration file, and all of a machine's users can read a command line.
struct Setting {
    /// The places that strings outside the configuration are read from.
    struct Sources {
        /// The base of relative paths.
        var folder: URL
        var environment: [String: String]
    }

    let path: String
    let value: JSONValue
    let sources: Sources

    func wrong(_ sentence: String) -> BackendConfigurationError { BackendConfigurationError(path, sentence) }

    /// The value for an error about a setting that is not secret: a number, `true`, `false` or a short printable string;
    /// otherwise ``kind``.
    var found: String {
        switch value {
        case .bool(let value): return "\(value)"
        case .integer(let value): return "\(value)"
        case .number(let value): return "\(value)"
        case .string(let text):
            let isShort = (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            return isShort ? "\"\(text)\"" : kind
        case .null, .array, .object: return kind
        }
    }

    /// The JSON type of the value, for errors about a setting whose value may be secret.
    private var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    func text() throws(BackendConfigurationError) -> String {
        let text: String
        if let string = value.string {
            text = string
        } else {
            text = try referredText("a string, or an object with \"file\" or \"environment\"")
        }
        guard !text.isEmpty else { throw wrong("This must not be empty.") }
        return text
    }

    func secret() throws(BackendConfigurationError) -> Secret {
        let text = try referredText(
            "an object with \"file\" or \"environment\", since the configuration contains no secrets"
        )
        guard !text.isEmpty else { throw wrong("This must not be empty.") }
        return Secret(text)
    }

    /// A path; a relative one is resolved against the configuration file's folder.
    func file() throws(BackendConfigurationError) -> String {
        URL(filePath: try text(), relativeTo: sources.folder).path
    }

    func integer(in range: ClosedRange<Int>) throws(BackendConfigurationError) -> Int {
        let number = value.object == nil ? value.integer : Int(try text())
        guard let integer = number, range.contains(integer) else {
            throw wrong("Expected a whole number from \(range.lowerBound) to \(range.upperBound); found \(found).")
        }
        return integer
    }

    func seconds(in range: ClosedRange<Double>) throws(BackendConfigurationError) -> Duration {
        guard let number = value.number, range.contains(number) else {
            throw wrong("Expected a number of seconds from \(range.lowerBound) to \(range.upperBound); found \(found).")
        }
        return .seconds(number)
    }

    /// An age in whole seconds, at most a year.
    func age() throws(BackendConfigurationError) -> Duration { .seconds(try integer(in: 0...31_536_000)) }

    func isOn() throws(BackendConfigurationError) -> Bool {
        guard let value = value.bool else { throw wrong("Expected true or false; found \(found).") }
        return value
    }

    /// One of several words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) throws(BackendConfigurationError) -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let known = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong("Expected one of \(known); found \(found).")
        }
        return choice
    }

    func elements() throws(BackendConfigurationError) -> [Setting] {
        guard let array = value.array else { throw wrong("Expected an array; found \(kind).") }
        return array.enumerated().map { Setting(path: "\(path)[\($0)]", value: $1, sources: sources) }
    }

    /// The elements of an array, or one object alone.
    func oneOrMore() throws(BackendConfigurationError) -> [Setting] {
        try value.array == nil ? [self] : elements()
    }

    func texts() throws(BackendConfigurationError) -> [String] {
        var texts: [String] = []
        for element in try elements() { texts.append(try element.text()) }
        return texts
    }

    /// Reads an object and rejects unknown members: a misspelled one would otherwise be ignored.
    func object(of names: String...) throws(BackendConfigurationError) -> SettingObject { try object(of: names) }

    /// Reads an object and rejects unknown members.
    func object(of names: [String]) throws(BackendConfigurationError) -> SettingObject {
        guard let object = value.object else { throw wrong("Expected an object; found \(kind).") }
        if let unknown = object.names.first(where: { !names.contains($0) }) {
            throw BackendConfigurationError(
                path.isEmpty ? unknown : "\(path).\(unknown)",
                "Unknown setting. Known here: \(names.joined(separator: ", "))."
            )
        }
        return SettingObject(setting: self, object: object)
    }

    /// Makes a library's value, and names the member when the library rejects it.
    func reading<Value>(_ make: (String) throws(SignInError) -> Value) throws(BackendConfigurationError) -> Value {
        let text = try text()
        do throws(SignInError) { return try make(text) } catch { throw wrong(error.sentence) }
    }

    private func referredText(_ wanted: String) throws(BackendConfigurationError) -> String {
        guard let reference = value.object, reference.names.count == 1 else {
            throw wrong("Expected \(wanted); found \(kind).")
        }
        if let name = reference["environment"]?.string {
            guard let text = sources.environment[name] else {
                throw wrong("The environment variable \(name) is not set.")
            }
            return text
        }
        guard let name = reference["file"]?.string else { throw wrong("Expected \(wanted); found \(kind).") }
        let path = URL(filePath: name, relativeTo: sources.folder).path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw wrong("Cannot read the file \(path): check the path and its permissions.")
        }
        guard data.count <= 65_536 else {
            throw wrong("The file \(path) has \(data.count) bytes; at most 65,536 are read.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw wrong("The file \(path) is not UTF-8: convert it.")
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

/// An object of the configuration.
struct SettingObject {
    let setting: Setting
    let object: JSONObject

    /// A member that may be absent.
    subscript(_ name: String) -> Setting? { object[name].map { member(name, $0) } }

    /// A required member.
    func required(_ name: String) throws(BackendConfigurationError) -> Setting {
        guard let value = object[name] else {
            throw BackendConfigurationError(member(name, .null).path, "This setting is required.")
        }
        return member(name, value)
    }

    private func member(_ name: String, _ value: JSONValue) -> Setting {
        let path = setting.path.isEmpty ? name : "\(setting.path).\(name)"
        return Setting(path: path, value: value, sources: setting.sources)
    }
}

extension SignInError {
    /// The problem and its fix, where the error names them.
    var sentence: String {
        if case .configuration(let sentence) = reason { sentence } else { message }
    }
}
