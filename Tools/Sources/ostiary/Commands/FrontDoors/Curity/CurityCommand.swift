import ArgumentParser

/// `ostiary curity`: register and sign in at a Curity Identity Server, as its front door does.
struct CurityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curity",
        abstract: "Register and sign in at a Curity Identity Server.",
        subcommands: [
            CurityRegister.self, CurityLogin.self, CurityClaims.self, FrontDoorToken<CurityDoor>.self, CurityRenew.self,
            CurityLogout.self, CurityForget.self,
        ]
    )
}
