import ArgumentParser
import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary jwt sign`: a token signed with a key of a file.
struct SignJWT: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a token with a key.",
        discussion: """
            iat, exp and jti are added unless the claims have them. A value of --claim that
            is a number, true, false or null is one in the token; every other is a text.

            EXAMPLES
              ostiary jwt sign --key key.json --claim iss=my-app --claim sub=my-app \\
                --claim aud=https://id.example.com --lifetime 60
              ostiary jwt sign --key key.pem --claims claims.json --type at+jwt
            """
    )

    @Option(help: ArgumentHelp("The private key: PEM or a JSON Web Key.", valueName: "file"), completion: .file())
    var key: String

    @Option(
        help: ArgumentHelp("The algorithm. (default: the key's alg, or that of its curve)", valueName: "alg"),
        completion: .list(SignatureAlgorithm.allCases.map(\.rawValue)),
        transform: SignatureAlgorithm.named
    )
    var alg: SignatureAlgorithm?

    @Option(help: ArgumentHelp("A JSON file with claims.", valueName: "file"), completion: .file())
    var claims: String?

    @Option(
        name: .customLong("claim"),
        help: ArgumentHelp("A claim; may be repeated, and replaces one of the file.", valueName: "name=value")
    )
    var claim: [String] = []

    @Option(help: ArgumentHelp("The type of the token in its header (typ).", valueName: "type"))
    var type = "JWT"

    @Option(help: ArgumentHelp("The token's lifetime in seconds.", valueName: "seconds"))
    var lifetime = 60

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        for text in claim where (text.firstIndex(of: "=") ?? text.startIndex) == text.startIndex {
            throw ValidationError("--claim needs a name and a value, such as sub=my-app.")
        }
        guard (1...315_360_000).contains(lifetime) else {
            throw ValidationError("--lifetime must be between 1 and 315360000 (seconds).")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let file = try ClientKeyFile(key, algorithm: alg, profile: .standard, console: console)
        var members = try claims.map { try JSONFile.object($0, "claims") } ?? [:]
        for text in claim {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            members[parts[0]] = Self.value(parts[1])
        }
        let now = Int(Date.now.timeIntervalSince1970)
        if members["iat"] == nil { members["iat"] = .integer(now) }
        if members["exp"] == nil { members["exp"] = .integer(now + lifetime) }
        if members["jti"] == nil { members["jti"] = .string(OneTimeText.make()) }
        let token: String
        let signing = try file.key()
        do throws(JOSEError) {
            token = try signing.sign(claims: members, type: type.isEmpty ? nil : type)
        } catch {
            throw UsageError("The key \(key.shortened) cannot sign.")
        }
        return Answer(members: ["token": .string(token), "claims": .object(members)], text: token + "\n")
    }

    private static func value(_ text: String) -> JSONValue {
        switch text {
        case "true": true
        case "false": false
        case "null": .null
        default: Int(text).map { JSONValue.integer($0) } ?? .string(text)
        }
    }
}

/// Values that are used once.
enum OneTimeText {
    /// 32 random bytes in base64url.
    static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
