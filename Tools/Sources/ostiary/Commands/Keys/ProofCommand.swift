import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary dpop`: a proof of possession for a request that is made by hand.
struct ProofCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "dpop",
        abstract: "Sign a DPoP proof for one request.",
        discussion: """
            RFC 9449 section 4.2. A proof is valid for one request, for a short time.
            ostiary request makes the proofs of a session by itself.

            EXAMPLES
              ostiary key make --output-file dpop.json
              ostiary dpop --key dpop.json --method POST --url https://id.example.com/token
            """
    )

    @Option(help: ArgumentHelp("The private key: PEM or a JSON Web Key.", valueName: "file"), completion: .file())
    var key: String

    @Option(help: ArgumentHelp("The method of the request.", valueName: "method"))
    var method = "GET"

    @Option(help: ArgumentHelp("The URL of the request; its query is left out of the proof.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The server's nonce, from its DPoP-Nonce field.", valueName: "nonce"))
    var nonce: String?

    @Option(
        help: ArgumentHelp("A file with the access token of the request, or - for standard input.", valueName: "file"),
        completion: .file()
    )
    var accessTokenFile: String?

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        guard let target = URL(string: url), Origin(target) != nil else {
            throw UsageError("--url is not an https URL, or an http URL on this machine.")
        }
        let file = try ClientKeyFile(key, algorithm: nil, profile: .standard, console: console)
        let signing = try file.key()
        var claims: JSONObject = [
            "jti": .string(OneTimeText.make()), "htm": .string(method.uppercased()),
            "htu": .string(target.withoutQuery), "iat": .integer(Int(Date.now.timeIntervalSince1970)),
        ]
        if let accessTokenFile {
            let token = try await Secret(fileOrInput: accessTokenFile, "token", console: console)
            claims["ath"] = .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.reveal().utf8))))
        }
        claims["nonce"] = nonce.map { .string($0) }
        var publicKey = JSONObject()
        for name in ["kty", "crv", "x", "y", "n", "e"] { publicKey[name] = signing.publicKey.jsonObject[name] }
        let proof: String
        do throws(JOSEError) {
            proof = try signing.sign(claims: claims, type: "dpop+jwt", extraHeader: ["jwk": .object(publicKey)])
        } catch {
            throw UsageError("The key \(key.shortened) cannot sign.")
        }
        return Answer(
            members: [
                "proof": .string(proof), "jkt": .string(signing.publicKey.thumbprint()), "claims": .object(claims),
            ],
            text: proof + "\n"
        )
    }
}
