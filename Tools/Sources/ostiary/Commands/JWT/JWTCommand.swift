import ArgumentParser

/// `ostiary jwt`: the content of a token, and its validity.
struct JWTCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwt",
        abstract: "Read, verify or sign a JSON Web Token.",
        subcommands: [DecodeJWT.self, VerifyJWT.self, SignJWT.self]
    )
}
