import Foundation

/// The process's environment variables.
enum Environment {
    /// The value of a variable; `nil` when it is missing or empty.
    static func value(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
        return value
    }

    /// Whether there is such a variable, which may be empty.
    static func isSet(_ name: String) -> Bool { getenv(name) != nil }

    /// A folder of the XDG Base Directory Specification, which requires relative paths in its variables to be ignored.
    ///
    /// `fallback` is the path below the home folder, for a variable that is missing or relative.
    static func folder(_ variable: String, _ fallback: String) -> URL {
        absolutePath(variable) ?? home.appending(path: fallback)
    }

    /// The home folder: `HOME`, as a shell and a test set it, and the user database only where it is missing.
    private static var home: URL { absolutePath("HOME") ?? FileManager.default.homeDirectoryForCurrentUser }

    private static func absolutePath(_ variable: String) -> URL? {
        guard let path = value(variable), path.hasPrefix("/") else { return nil }
        return URL(filePath: path)
    }
}
