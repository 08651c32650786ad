#if os(Linux) || os(macOS)
    public import Foundation
    import OstiaryOAuth

    extension LoopbackBrowser {
        /// The way to open a browser.
        public struct Opener: Sendable {
            private let opening: @Sendable (URL) async throws(SignInError) -> Void
            /// Whether the URL becomes an argument of a command, which every user of the machine can read.
            let isCommand: Bool

            private init(isCommand: Bool, opening: @escaping @Sendable (URL) async throws(SignInError) -> Void) {
                self.isCommand = isCommand
                self.opening = opening
            }

            /// Opens a URL; the program that was started may continue after this returns.
            func open(_ url: URL) async throws(SignInError) { try await opening(url) }

            /// The command in the environment variable `BROWSER`, else Windows' browser under WSL, else `open` on macOS
            /// and `xdg-open` on other systems.
            ///
            /// `BROWSER` is split at spaces and run without a shell. The URL replaces `%s` or, without it, comes last.
            public static let system = LoopbackBrowser.Opener(isCommand: true) { (url: URL) async throws(SignInError) in
                let commands = BrowserCommands(
                    environment: ProcessInfo.processInfo.environment,
                    isWindowsSubsystem: isWindowsSubsystem
                )
                try await run(firstOf: commands.opening(url))
            }

            /// A command and its arguments, run without a shell; the URL replaces `%s` or, without it, comes last.
            public static func command(_ words: [String]) -> LoopbackBrowser.Opener {
                LoopbackBrowser.Opener(isCommand: true) { (url: URL) async throws(SignInError) in
                    try await run(firstOf: [BrowserCommands.fill(words, with: url)])
                }
            }

            /// A function of the app.
            ///
            /// - Parameter open: Opens a URL. An error that it throws means that nothing was opened; an error other
            ///   than a `SignInError` becomes `configuration`.
            /// - Returns: The opener.
            public static func custom(_ open: @escaping @Sendable (URL) async throws -> Void) -> LoopbackBrowser.Opener
            {
                LoopbackBrowser.Opener(isCommand: false) { (url: URL) async throws(SignInError) in
                    do {
                        try await open(url)
                    } catch let error as SignInError {
                        throw error
                    } catch {
                        throw SignInError(.authorization, .configuration("The app's own way to open a browser failed."))
                    }
                }
            }

            /// No browser: the user opens the URL that is announced.
            public static let none = LoopbackBrowser.Opener(isCommand: false) { (_: URL) async throws(SignInError) in
                throw SignInError(
                    .authorization,
                    .configuration("No browser is opened, and the URL is not announced: give `announce`.")
                )
            }

            /// Runs the first command that can be started, and watches it for ten seconds.
            ///
            /// A browser that fails that soon has not opened the page.
            private static func run(firstOf commands: [[String]]) async throws(SignInError) {
                for command in commands {
                    guard let child = ChildProcess(starting: command) else { continue }
                    guard let status = await child.status(within: .seconds(10)), status != 0 else { return }
                    throw SignInError(
                        .authorization,
                        .configuration(
                            "\(command[0]) ended with status \(status): open the URL by hand, or set BROWSER to a browser."
                        )
                    )
                }
                let names = commands.compactMap(\.first).joined(separator: " or ")
                throw SignInError(
                    .authorization,
                    .configuration("\(names) cannot be started: install it, or set BROWSER to a browser.")
                )
            }

            private static var isWindowsSubsystem: Bool {
                #if os(Linux)
                    if ProcessInfo.processInfo.environment["WSL_DISTRO_NAME"] != nil { return true }
                    guard let version = FileManager.default.contents(atPath: "/proc/version") else { return false }
                    return String(decoding: version, as: UTF8.self).lowercased().contains("microsoft")
                #else
                    return false
                #endif
            }
        }
    }

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
