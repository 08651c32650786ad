import ArgumentParser

/// `ostiary ssafy`: verify a member of SSAFY, as its front door does.
struct SSAFYCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssafy",
        abstract: "Verify a member of SSAFY, as its front door does.",
        subcommands: [SSAFYVerifyCommand.self]
    )
}
