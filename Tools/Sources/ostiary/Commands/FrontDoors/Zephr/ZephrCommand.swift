import ArgumentParser

/// `ostiary zephr`: sign in at a Zephr site, as its front door does.
struct ZephrCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zephr",
        abstract: "Sign in at a Zephr site, as its front door does.",
        subcommands: [
            ZephrLogin.self, ZephrAccountCommand.self, ZephrProfile.self, ZephrEntitlements.self, ZephrLogout.self,
        ]
    )
}
