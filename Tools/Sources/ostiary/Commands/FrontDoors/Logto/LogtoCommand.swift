import ArgumentParser

/// `ostiary logto`: sign in at a Logto tenant, as its front door does.
struct LogtoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logto",
        abstract: "Sign in at a Logto tenant, as its front door does.",
        subcommands: [
            LogtoLogin.self, LogtoClaimsCommand.self, LogtoUserInfoCommand.self, LogtoToken.self, LogtoLogout.self,
        ]
    )
}
