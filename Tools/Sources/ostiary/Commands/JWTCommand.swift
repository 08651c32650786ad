import ArgumentParser

/// `ostiary jwt`: what a token says, and whether it may be believed.
struct JWTCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwt",
        abstract: "Read or verify a JSON Web Token.",
        subcommands: [DecodeJWT.self, VerifyJWT.self]
    )
}
