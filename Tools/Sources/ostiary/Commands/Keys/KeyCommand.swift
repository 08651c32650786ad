import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary key`: keys for clients.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make keys for client authentication.",
        subcommands: [MakeKey.self]
    )
}

/// `ostiary key make`: a private key in a file, and its public half for the issuer.
struct MakeKey: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a private key and its key set.",
        discussion: """
            Writes the private key to the file of --output-file, which only you can read:
            PKCS #8 in PEM, or a JSON Web Key when the name ends in .json. Prints the
            public half as a JSON Web Key Set, to register at the issuer.

            EXAMPLES
              ostiary key make --output-file key.json > jwks.json
              ostiary login --issuer https://id.example.com --client-id my-app \\
                --client-key key.json
            """
    )

    @Option(
        help: ArgumentHelp("The signature algorithm: ES256, ES384, ES512, EdDSA, RS256, PS256 …", valueName: "alg"),
        completion: .list(SignatureAlgorithm.allCases.map(\.rawValue)),
        transform: SignatureAlgorithm.named
    )
    var alg: SignatureAlgorithm = .es256

    @Option(help: ArgumentHelp("The key's identifier (kid). (default: its thumbprint)", valueName: "id"))
    var keyID: String?

    @Option(help: ArgumentHelp("The file of the private key.", valueName: "file"), completion: .file())
    var outputFile: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        if !force, FileManager.default.fileExists(atPath: outputFile) {
            throw UsageError("The file \(outputFile.shortened) is there already: name another one, or add --force.")
        }
        let key: SigningKey
        let content: String
        do throws(JOSEError) {
            key = try SigningKey.generate(alg, keyID: keyID)
            if outputFile.hasSuffix(".json") {
                content = String(decoding: try key.privateJWK().encoded(), as: UTF8.self)
            } else {
                content = key.pemRepresentation()
            }
        } catch {
            throw UsageError("No key can be made for \(alg.rawValue) here.")
        }
        let file = try OutputFile(path: outputFile)
        try file.write(Secret(content.hasSuffix("\n") ? String(content.dropLast()) : content))
        let set: JSONObject = ["keys": .array([.object(key.publicKey.jsonObject)])]
        return Answer(
            members: ["file": .string(outputFile), "keyID": .string(key.keyID), "jwks": .object(set)],
            text: set.printable + "\n"
        )
    }
}
