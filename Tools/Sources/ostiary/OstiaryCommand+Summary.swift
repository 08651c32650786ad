import ArgumentParser

extension OstiaryCommand {
    /// The output of the program without arguments: the first commands, and the way to the others.
    static var summary: String {
        let parts: [(title: String, commands: [(words: String, type: any ParsableCommand.Type)])] = [
            (
                "Sign in",
                [
                    ("login", Login.self), ("device", Device.self), ("status", Status.self), ("logout", Logout.self),
                ]
            ),
            (
                "Use the session",
                [
                    ("token", Token.self), ("exec", Exec.self), ("request", RequestCommand.self),
                    ("userinfo", UserInfoCommand.self), ("sessions", Sessions.self),
                ]
            ),
            (
                "Check",
                [
                    ("doctor", Doctor.self), ("probe", Probe.self), ("discover", Discover.self),
                    ("jwt", JWTCommand.self),
                ]
            ),
            ("Develop", [("idp", ProviderCommand.self), ("demo", Demo.self)]),
        ]
        var text = configuration.abstract + "\n"
        for part in parts {
            text += "\n\(part.title)\n"
            for command in part.commands {
                text += "  ostiary \(command.words.padded(to: 10))\(command.type.configuration.abstract)\n"
            }
        }
        return text + "\nAll commands: ostiary --help\nOne command: ostiary login --help\n"
    }
}
