import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiaryTesting

/// SSAFY Verify, a partner's backend, an app and a user, in this process, on one clock.
struct SSAFYWorld: DoorWorld {
    static let callback = "https://partner.example.com/ios/ssafy/callback"
    static let deepLink = "partnerapp://ssafy/callback"
    static let issuer = SSAFYConfiguration.canonicalIssuer

    let base: TestWorld
    let partner: SSAFYPartner

    init(
        clientID: String = "ssafy-partner",
        dialect: SSAFYDialect = SSAFYDialect(),
        people: [(name: String, claims: JSONObject)] = []
    ) throws {
        base = try TestWorld { configuration in
            var random = SecureRandom()
            configuration = try .ssafy(
                issuer: try Issuer(Self.issuer),
                password: Secret("mattermost code"),
                clientSecret: Secret("partner-secret"),
                cost: .insecureForTests,
                dialect: dialect,
                using: &random
            )
            if let hash = configuration.users.first?.passwordHash {
                configuration.users += people.map {
                    ProviderUser(name: $0.name, passwordHash: hash, subject: $0.name, claims: $0.claims)
                }
            }
        }
        partner = try SSAFYPartner(
            network: base.network,
            clientID: clientID,
            clientSecret: clientID == "ssafy-partner" ? "partner-secret" : nil,
            clock: base.clock
        )
    }

    /// The app's verifier; a user called `name` answers, or the user agent that is given.
    func verifier(
        as name: String = "jiwoo",
        answer: HTTPUserAgent.Answer = .approve,
        clientID: String = "ssafy-partner",
        redirectURI: String = callback,
        fallback: String? = nil,
        scopes: [Scope] = [.ssafyAffiliation],
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        backend: (any VerificationBackend)? = nil,
        change: (inout SSAFYConfiguration) -> Void = { _ in }
    ) throws -> SSAFYVerify {
        var configuration = try SSAFYConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            fallbackRedirectURI: fallback,
            scopes: scopes
        )
        change(&configuration)
        return try SSAFYVerify(
            configuration,
            backend: backend ?? self.backend(),
            userAgent: userAgent ?? person(name, answer),
            redirects: redirects,
            store: store,
            clock: clock.device
        )
    }

    func person(_ name: String = "jiwoo", _ answer: HTTPUserAgent.Answer = .approve) -> HTTPUserAgent {
        HTTPUserAgent(
            transport: network,
            credentials: .init(name: name, password: Secret("mattermost code")),
            answer: answer
        )
    }

    func backend(over transport: (any HTTPTransport)? = nil) -> JSONVerificationBackend {
        JSONVerificationBackend(
            endpoint: SSAFYPartner.endpoint,
            transport: transport ?? partner,
            clock: clock.device
        )
    }

    /// A user agent whose callback carries these members, with `STATE` for the state of the page that was opened.
    static func answering(_ query: String, at place: String? = nil) -> ScriptedUserAgent {
        ScriptedUserAgent { page, redirectURI in
            let state = SSAFYWorld.query(page)[.state] ?? ""
            return URL(string: "\(place ?? redirectURI.description)?" + query.replacing("STATE", with: state))!
        }
    }

    /// The members of a URL's query.
    static func query(_ url: URL) -> Parameters {
        FormURLEncoding.decode(url.query(percentEncoded: true) ?? "") ?? Parameters()
    }
}

/// A backend that answers each request in one way, and counts.
final class SSAFYAnswer: HTTPTransport {
    private let response: EndpointResponse
    private let seen = Lock<[EndpointRequest]>([])

    init(_ status: Int, _ json: String, mediaType: String = "application/json", fields: HTTPFields = [:]) {
        var fields = fields
        fields[.contentType] = mediaType
        response = EndpointResponse(status: .init(code: status), fields: fields, body: Array(json.utf8))
    }

    var requests: [EndpointRequest] { seen.withLock { $0 } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        seen.withLock { $0.append(request) }
        return response
    }
}
