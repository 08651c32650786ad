import ArgumentParser

/// `ostiary logi`: sign in with logi, as its front door does.
struct LogiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logi",
        abstract: "Sign in with logi, as its front door does.",
        subcommands: [
            LogiLogin.self, LogiClaimsCommand.self, FrontDoorToken<LogiDoor>.self, LogiDeviceKey.self,
            LogiDisconnect.self,
            LogiLogout.self,
        ]
    )
}
