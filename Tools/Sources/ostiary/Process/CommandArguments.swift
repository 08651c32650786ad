import Synchronization

/// The arguments of this run, for messages that suggest a changed command line.
enum CommandArguments {
    private static let words = Mutex<[String]>([])

    /// The arguments without the program's name and without those that apply to every command.
    static var current: [String] {
        get { words.withLock { $0 } }
        set { words.withLock { $0 = newValue } }
    }

    /// Whether the arguments name a command.
    static func begins(with command: String) -> Bool { current.first == command }

    /// Whether the command signs a user in, at an issuer or through a front door.
    static var isSigningIn: Bool { current.prefix(2).contains("login") || begins(with: "ssafy") }

    /// The value of an option in this run's arguments; `nil` when it is missing.
    static func value(of option: String) -> String? {
        let own = Array(current.prefix { $0 != "--" })
        for (index, word) in own.enumerated() {
            if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
            if word == option, index + 1 < own.count { return own[index + 1] }
        }
        return nil
    }

    /// Another command on this run's profile and store, as a shell takes it.
    static func line(of command: [String]) -> String {
        let place = ["--profile", "--store"].flatMap { option in value(of: option).map { [option, $0] } ?? [] }
        return LoginLine.shell(["ostiary"] + command + place)
    }

    /// This run's command line with more words, as a shell takes it.
    static func line(adding more: [String]) -> String {
        LoginLine.shell(["ostiary"] + current + more)
    }
}
