import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// Defaults for options that are not given: variables of the environment first, then the configuration file.
struct CommandSettings: Sendable {
    /// The profile of commands without `--profile`.
    var profile: ProfileName?
    /// The store of commands without `--store`.
    var store: StoreLocation?
    /// The issuer of a profile that has none.
    var issuer: String?
    /// The client of a profile that has none.
    var clientID: String?
    /// A file with certificates to trust besides the system's.
    var certificateFile: String?

    /// The settings of this run; empty when they are invalid, which ``check()`` reports.
    static var current: CommandSettings { (try? loaded.get()) ?? CommandSettings() }

    /// Makes sure that the settings are valid.
    ///
    /// - Throws: ``UsageError`` that names the variable or the file.
    static func check() throws(UsageError) { _ = try loaded.get() }

    private static let loaded: Result<CommandSettings, UsageError> = {
        do throws(UsageError) {
            return .success(try CommandSettings(environment: Environment.value, file: file))
        } catch {
            return .failure(error)
        }
    }()

    /// The members of the file, with the variable that goes before each.
    private static let names: [(member: String, variable: String)] = [
        ("profile", "OSTIARY_PROFILE"), ("store", "OSTIARY_STORE"), ("issuer", "OSTIARY_ISSUER"),
        ("client_id", "OSTIARY_CLIENT_ID"), ("ca_file", "OSTIARY_CA_FILE"),
    ]

    /// The path of the configuration file.
    static var path: String {
        Environment.value("OSTIARY_CONFIG")
            ?? Environment.folder("XDG_CONFIG_HOME", ".config").appending(path: "ostiary/config.json").path
    }

    private static func file() throws(UsageError) -> JSONObject {
        let isNamed = Environment.value("OSTIARY_CONFIG") != nil
        guard isNamed || FileManager.default.fileExists(atPath: path) else { return [:] }
        return try JSONFile.object(path, "configuration")
    }

    private init() {}

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - environment: Returns the value of a variable; `nil` when it is missing.
    ///   - file: Reads the configuration file.
    /// - Throws: ``UsageError`` for an unknown member, and for a value that its option does not accept.
    init(
        environment: (String) -> String?,
        file: () throws(UsageError) -> JSONObject
    ) throws(UsageError) {
        let members = try file()
        if let unknown = members.names.first(where: { name in !Self.names.contains { $0.member == name } }) {
            throw UsageError(
                "The configuration file \(Self.path) has the unknown member \(unknown.shortened): it may have "
                    + Self.names.map(\.member).joined(separator: ", ") + "."
            )
        }
        func text(_ member: String) throws(UsageError) -> (value: String, source: String)? {
            guard let variable = Self.names.first(where: { $0.member == member })?.variable else { return nil }
            if let value = environment(variable) { return (value, variable) }
            guard let value = members[member] else { return nil }
            guard let text = value.string, !text.isEmpty else {
                throw UsageError("The member \(member) of \(Self.path) is not a text.")
            }
            return (text, "The member \(member) of \(Self.path)")
        }
        if let given = try text("profile") {
            guard let name = ProfileName(argument: given.value) else {
                throw UsageError("\(given.source) is not a profile name: \(ProfileName.rule)")
            }
            profile = name
        }
        if let given = try text("store") {
            guard let location = StoreLocation(argument: given.value) else {
                throw UsageError("\(given.source) is not a store: \(StoreLocation.rule)")
            }
            store = location
        }
        issuer = try text("issuer")?.value
        clientID = try text("client_id")?.value
        certificateFile = try text("ca_file")?.value
    }
}

extension String {
    /// The text for a message: at most 80 characters, the end replaced by an ellipsis.
    var shortened: String { count <= 80 ? self : prefix(77) + "…" }
}
