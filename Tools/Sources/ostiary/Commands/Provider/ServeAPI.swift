import ArgumentParser
import HTTPTypes
import Hummingbird
import Logging
import OstiaryHummingbird
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer

/// `ostiary serve-api`: one guarded route on a port of this machine, for other projects' clients.
///
/// The help does not list it: it runs the backend kit in the interoperability tests, and is not for deployment.
struct ServeAPI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-api",
        abstract: "Serve one route that requires an access token.",
        discussion: "GET /whoami tells the subject, the client and the scope of a token.",
        shouldDisplay: false
    )

    @Option(help: "The issuer of the tokens.")
    var issuer: String

    @Option(help: "The audience of the tokens, the issuer's name for this API; may be repeated.")
    var audience: [String] = []

    @Option(help: "The form of the tokens: \(AccessTokenProfile.names.joined(separator: ", ")).")
    var tokens = "rfc9068"

    @Option(help: "A client whose tokens are accepted without an audience; may be repeated.")
    var client: [String] = []

    @Option(help: "A scope that tokens must have; may be repeated.")
    var scope: [String] = []

    @Option(help: "The required binding of tokens: bearer, dpop, mtls or any.", transform: Self.binding)
    var binding = TokenBinding.any

    @Option(help: "The port on 127.0.0.1.")
    var port: Int

    private static func binding(_ text: String) throws -> TokenBinding {
        guard let binding = TokenBinding(rawValue: text) else {
            throw ValidationError("A binding is bearer, dpop, mtls or any.")
        }
        return binding
    }

    func run() async throws {
        let issuer = try Issuer(issuer)
        let origin = "http://127.0.0.1:\(port)"
        let secret = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let place = try ResourceMetadataDocument.Place(origin)
        let server = ResourceServer(
            keys: [try KeySource(issuer: issuer, transport: commandTransport)],
            dpop: try ProofChecking(
                origins: [ExternalOrigin(origin), ExternalOrigin("http://localhost:\(port)")],
                replays: LocalReplayStore(),
                nonces: ServerNonces(secrets: [Secret(secret)], purpose: audience.first ?? origin)
            ),
            metadata: place
        )
        let resource = try server.resource(
            AccessTokenPolicy(
                issuers: [issuer],
                audiences: audience,
                withoutAudience: client.isEmpty ? .refused : .clients(Set(client)),
                profile: AccessTokenProfile.named(tokens, issuer: issuer),
                requiredScopes: scope.map(Scope.init(rawValue:)),
                binding: binding
            )
        )
        let router = Router(context: BasicAccessTokenContext.self)
        router.add(middleware: RequestIDMiddleware())
        router.add(ResourceMetadataDocument(at: place, of: [resource]))
        router.add(LivenessEndpoint(), at: "/health")
        let guarded = AccessTokenMiddleware<BasicAccessTokenContext>(
            resource,
            events: { refusal, context in
                var metadata = refusal.metadata
                if case .token(let token) = refusal.reason, let fitting = token.form?.fitting {
                    metadata["argument"] = .string("--tokens \(fitting)")
                }
                context.logger.info("request refused", metadata: metadata)
            }
        )
        router.group("whoami").add(middleware: guarded).get { _, context -> Response in
            let token = try context.requireAccessToken()
            let told: JSONObject = [
                "sub": .string(token.subject), "client_id": .string(token.clientID),
                "scope": .string(token.scopes.text), "bound": .bool(token.proofKeyThumbprint != nil),
            ]
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: told.encoded()))
            )
        }
        var logger = Logger(label: "api")
        logger.logLevel = .info
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        try await application.runService()
    }
}
