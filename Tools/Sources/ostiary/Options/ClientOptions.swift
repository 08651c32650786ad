import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// The client as it is registered at the issuer.
struct ClientOptions: ParsableArguments {
    /// The client's authentication method.
    enum Method: String, ExpressibleByArgument, CaseIterable, Sendable {
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
    }

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the provider writes it.", valueName: "url"))
    var issuer: String?

    // An issuer's identifiers can begin with "-".
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The client identifier that the provider issued. (default: the client of the profile)",
            valueName: "id"
        )
    )
    var clientID: String?

    @Option(help: ArgumentHelp("A file with the client's secret.", valueName: "file"), completion: .file())
    var clientSecretFile: String?

    @Option(help: ArgumentHelp("An environment variable with the client's secret.", valueName: "variable"))
    var clientSecretEnv: String?

    @Option(
        help: ArgumentHelp(
            "The client's authentication method. (default: private_key_jwt with a key, client_secret_basic with a secret, otherwise none)",
            valueName: "method"
        )
    )
    var clientAuth: Method?

    @Option(
        help: ArgumentHelp(
            "A file with the client's private key, PEM or a JSON Web Key; it is remembered by its path.",
            valueName: "file"
        ),
        completion: .file()
    )
    var clientKey: String?

    @Option(
        help: ArgumentHelp(
            "The key's signature algorithm. (default: its alg, or that of its curve; for RSA RS256, or PS256 with fapi2)",
            valueName: "alg"
        ),
        completion: .list(SignatureAlgorithm.allCases.map(\.rawValue)),
        transform: SignatureAlgorithm.named
    )
    var clientKeyAlg: SignatureAlgorithm?

    @Option(
        help: ArgumentHelp(
            "The audience of the key's assertions: issuer, or token-endpoint for a server that accepts nothing else.",
            valueName: "audience"
        )
    )
    var clientAssertionAudience: AssertionAudience?

    /// The audiences of assertions, by the names that the command line has for them.
    enum AssertionAudience: String, ExpressibleByArgument, CaseIterable, Sendable {
        case issuer
        case tokenEndpoint = "token-endpoint"
    }

    @Option(
        help: ArgumentHelp(
            "Security profile to enforce: oauth21, or fapi2, which also needs --dpop and --client-key.",
            valueName: "profile"
        )
    )
    var security: Security = .standard

    @Flag(name: .customLong("dpop"), help: "Bind the tokens to a key of this session (RFC 9449).")
    var isBound = false

    @Option(
        help: ArgumentHelp(
            "The only accepted signature algorithm of ID tokens. (default: those that the issuer announces)",
            valueName: "alg"
        ),
        completion: .list(SignatureAlgorithm.allCases.map(\.rawValue)),
        transform: SignatureAlgorithm.named
    )
    var idTokenAlg: SignatureAlgorithm?

    @Option(
        help: ArgumentHelp(
            "The required signature algorithm of user info. (default: no signature required)",
            valueName: "alg"
        ),
        completion: .list(SignatureAlgorithm.allCases.map(\.rawValue)),
        transform: SignatureAlgorithm.named
    )
    var userinfoAlg: SignatureAlgorithm?

    @OptionGroup var server: ServerOptions

    mutating func validate() throws {
        if clientSecretFile != nil, clientSecretEnv != nil {
            throw ValidationError("Give the client's secret once: --client-secret-file or --client-secret-env.")
        }
        if clientID == nil, clientAuth != nil || hasSecret {
            throw ValidationError("A secret and --client-auth need --client-id: a registered client has them already.")
        }
        if clientID != nil, issuer == nil { throw ValidationError("--client-id needs --issuer.") }
        if clientKeyAlg != nil, clientKey == nil { throw ValidationError("--client-key-alg needs --client-key.") }
        if clientAssertionAudience != nil, clientKey == nil {
            throw ValidationError("--client-assertion-audience needs --client-key.")
        }
        if hasSecret, clientKey != nil { throw ValidationError("A client has a secret or a key, not both.") }
        try checkMethod()
    }

    /// The key's file, with the audience of its assertions.
    func keyFile(console: Console) throws(UsageError) -> ClientKeyFile? {
        guard let clientKey else { return nil }
        var file = try ClientKeyFile(clientKey, algorithm: clientKeyAlg, profile: security.profile, console: console)
        file.audience = clientAssertionAudience == .tokenEndpoint ? .tokenEndpoint : .issuer
        return file
    }

    private var hasSecret: Bool { clientSecretFile != nil || clientSecretEnv != nil }

    private func checkMethod() throws {
        guard let clientAuth else { return }
        switch clientAuth {
        case .none where hasSecret:
            throw ValidationError("--client-auth none takes no secret: leave out one of the two.")
        case .none where clientKey != nil:
            throw ValidationError("--client-auth none takes no key: leave out one of the two.")
        case .clientSecretBasic where !hasSecret, .clientSecretPost where !hasSecret:
            throw ValidationError(
                "--client-auth \(clientAuth.rawValue) needs --client-secret-file or --client-secret-env."
            )
        case .privateKeyJWT where clientKey == nil:
            throw ValidationError("--client-auth private_key_jwt needs --client-key.")
        default: break
        }
    }
}
