import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// The client as it is registered at the issuer.
struct ClientOptions: ParsableArguments {
    /// How the client proves who it is.
    enum Method: String, ExpressibleByArgument, CaseIterable, Sendable {
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
    }

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the provider writes it.", valueName: "url"))
    var issuer: String

    @Option(help: ArgumentHelp("The client identifier that the provider issued.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("A file with the client's secret.", valueName: "file"))
    var clientSecretFile: String?

    @Option(help: ArgumentHelp("An environment variable with the client's secret.", valueName: "variable"))
    var clientSecretEnv: String?

    @Option(
        help: ArgumentHelp(
            "How the client authenticates. (default: client_secret_basic with a secret, otherwise none)",
            valueName: "method"
        )
    )
    var clientAuth: Method?

    @Option(
        help: ArgumentHelp(
            "Where the browser comes back to; a loopback URI without a port gets a free one.",
            valueName: "uri"
        )
    )
    var redirectURI = "http://127.0.0.1/callback"

    @Option(
        help: ArgumentHelp(
            "The only algorithm that ID tokens may be signed with. (default: what the issuer announces)",
            valueName: "alg"
        ),
        transform: algorithm
    )
    var idTokenAlg: SignatureAlgorithm?

    @Option(
        help: ArgumentHelp("What user info has to be signed with. (default: it need not be signed)", valueName: "alg"),
        transform: algorithm
    )
    var userinfoAlg: SignatureAlgorithm?

    mutating func validate() throws {
        if clientSecretFile != nil, clientSecretEnv != nil {
            throw ValidationError("Give the client's secret once: --client-secret-file or --client-secret-env.")
        }
        let hasSecret = clientSecretFile != nil || clientSecretEnv != nil
        switch clientAuth {
        case Method.none? where hasSecret:
            throw ValidationError("--client-auth none takes no secret: leave out one of the two.")
        case .clientSecretBasic? where !hasSecret, .clientSecretPost? where !hasSecret:
            throw ValidationError(
                "--client-auth \(clientAuth?.rawValue ?? "") needs --client-secret-file or --client-secret-env."
            )
        default: break
        }
    }
}

/// Reads the name of an algorithm.
@Sendable private func algorithm(_ name: String) throws -> SignatureAlgorithm {
    guard let algorithm = SignatureAlgorithm(rawValue: name) else {
        let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("An algorithm is one of \(names).")
    }
    return algorithm
}
