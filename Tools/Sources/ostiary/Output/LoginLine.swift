/// The command line that signs in again, for the profile and the store of the command that suggests it.
struct LoginLine {
    /// The arguments of the command that failed, without the program's name.
    private let arguments: [String]
    /// The line, which works when it is pasted into a shell.
    let text: String

    /// Makes the line.
    ///
    /// - Parameters:
    ///   - place: The profile and its store; `nil` for those that are used by default.
    ///   - arguments: The arguments that a line with one more option repeats.
    init(_ place: SessionOptions? = nil, repeating arguments: [String] = []) {
        self.arguments = arguments
        let door = arguments.first.flatMap { Self.doors.contains($0) ? $0 : nil }
        text = Self.shell(["ostiary"] + (door.map { [$0] } ?? []) + ["login"] + (place?.arguments ?? []))
    }

    /// The front doors, which have a sign-in of their own.
    private static let doors: Set = ["logi", "logto", "curity", "zephr"]

    /// The command that failed, with the token endpoint as the audience of its assertions.
    ///
    /// - Returns: `nil` when it has no client's key, or names an audience already.
    var withTokenEndpointAudience: String? {
        let own = arguments.prefix { $0 != "--" }
        guard !own.contains(where: { $0.hasPrefix("--client-assertion-audience") }),
            let key = own.firstIndex(where: { $0 == "--client-key" || $0.hasPrefix("--client-key=") })
        else { return nil }
        var words = arguments
        words.insert(contentsOf: ["--client-assertion-audience", "token-endpoint"], at: key)
        return Self.shell(["ostiary"] + words)
    }

    /// Words as a shell takes them.
    static func shell(_ words: [String]) -> String {
        words.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains)
            return isPlain ? word : TokenFormat.quoted(word)
        }.joined(separator: " ")
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:=,+@%".utf8)
}

extension SessionOptions {
    /// The arguments that name the same profile and store; none for those that are used by default.
    var arguments: [String] {
        (profile == Self.defaultProfile ? [] : ["--profile", profile.description])
            + (store == Self.defaultStore ? [] : store.argument.map { ["--store", $0] } ?? [])
    }
}

extension StoreLocation {
    /// The store as an argument; `nil` for the one that is used by default.
    fileprivate var argument: String? {
        switch self {
        case .memory: "memory"
        case .folder(let path): "file:" + path
        case .keyring: "keyring"
        case .standard: nil
        }
    }
}
