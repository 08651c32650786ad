#if os(Linux) || os(macOS)
    package import Foundation

    /// The commands that open a browser on a system, best first.
    package struct BrowserCommands {
        private let environment: [String: String]
        private let isWindowsSubsystem: Bool

        package init(environment: [String: String], isWindowsSubsystem: Bool) {
            self.environment = environment
            self.isWindowsSubsystem = isWindowsSubsystem
        }

        /// Returns the commands that open a URL.
        package func opening(_ url: URL) -> [[String]] {
            let chosen = (environment["BROWSER"] ?? "").split(separator: " ").map(String.init)
            if !chosen.isEmpty { return [Self.fill(chosen, with: url)] }
            #if os(macOS)
                return [["open", url.absoluteString]]
            #else
                guard isWindowsSubsystem else { return [["xdg-open", url.absoluteString]] }
                // Not explorer.exe: it ends with status 1 whether or not it opened anything.
                return [["wslview", url.absoluteString], Self.powerShell(url), ["xdg-open", url.absoluteString]]
            #endif
        }

        /// Replaces `%s` with the URL, or appends it.
        package static func fill(_ words: [String], with url: URL) -> [String] {
            let filled = words.map { $0.replacingOccurrences(of: "%s", with: url.absoluteString) }
            return filled == words ? words + [url.absoluteString] : filled
        }

        /// Returns the PowerShell command that opens a URL.
        ///
        /// PowerShell parses its command line as a script, in which `&` and `;` of a URL would start commands. The
        /// script is therefore encoded, with the URL in single quotes.
        private static func powerShell(_ url: URL) -> [String] {
            let quoted = url.absoluteString.replacingOccurrences(of: "'", with: "''")
            let script = "Start-Process '\(quoted)'".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            return [
                "powershell.exe", "-NoProfile", "-NonInteractive", "-EncodedCommand",
                Data(script).base64EncodedString(),
            ]
        }
    }
#endif
