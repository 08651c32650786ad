import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryTesting

/// Everything that one recorded scenario leaves from command to command.
///
/// Each command makes its own client, as each of them was a process of its own when it was recorded.
final class Stage {
    let name: String
    let replay: Replay
    var store = MemoryStore()
    /// The store of a session that was copied before it was refreshed.
    var copy = MemoryStore()
    var profiles: [String: Profile] = [:]
    /// The issuers that a profile has a registered client at.
    var issuers: [String: Issuer] = [:]
    /// The deviations that are accepted from the server.
    var manners = ServerManners()
    /// The audience of client assertions.
    var audience = ClientAuthentication.AssertionAudience.issuer
    /// The introspection endpoint that the user names, where the metadata names none.
    var introspectionEndpoint: URL?
    /// The token that the last command printed.
    var lastToken: Secret?

    struct Profile {
        let issuer: Issuer
        let client: Client
    }

    init(_ name: String) throws {
        self.name = name
        replay = Replay(try Recordings.named(name))
        manners.omitsIssuedTokenType = name == "logto/token-exchange"
        if name == "hydra/introspection-is-not-public" {
            introspectionEndpoint = URL(string: "http://127.0.0.1:4741/admin/oauth2/introspect")
        }
    }

    /// Whether authorization requests are pushed although the recorded ones were not.
    var pushes = false

    /// Whether authorization requests are pushed: as the recorded client did, unless a test says otherwise.
    var isPushed: Bool {
        pushes || replay.recording.exchanges.contains { $0.request.form["response_type"] != nil && $0.method == .post }
    }

    var context: ExchangeContext {
        ExchangeContext(clock: ServerClock(replay.clock), random: replay.random, events: { _ in })
    }

    func client(
        _ profile: Profile,
        named account: String,
        in step: Recording.Step,
        server: AuthorizationServer? = nil,
        origins: Set<Origin> = []
    ) -> SignInClient {
        var policy = SessionPolicy()
        policy.resourceOrigins = origins
        return SignInClient(
            issuer: profile.issuer,
            client: profile.client,
            configuration: SignInClient.Configuration(
                server: server,
                account: account,
                userAgent: BendingUserAgent(over: replay.userAgent, step: step.name ?? ""),
                transport: replay.transport,
                store: step.isOfCopy ? copy : store,
                policy: policy,
                clock: replay.clock,
                random: replay.random
            )
        )
    }

    /// The session that an earlier command stored.
    func session(
        of arguments: Arguments,
        in step: Recording.Step,
        origins: Set<Origin> = []
    ) async throws -> Session {
        let name = arguments["profile"] ?? "default"
        guard let profile = profiles[name],
            let session = try await client(profile, named: name, in: step, origins: origins).restoreSession()
        else { throw SignInError(.storage, .signInRequired) }
        return session
    }

    func registrar(at issuer: Issuer, named profile: String) -> ClientRegistrar {
        ClientRegistrar(issuer: issuer, name: profile, transport: replay.transport, store: store, context: context)
    }

    /// The JSON body of a request that was recorded in a step.
    func recordedBody(_ method: String, in step: Recording.Step) -> JSONObject? {
        replay.recording.exchanges.lazy.filter {
            $0.step == step.name && $0.method.rawValue == method
                && $0.request.fields[.contentType]?.hasPrefix("application/json") == true
        }.compactMap { try? JSONObject(parsing: $0.request.body) }.first
    }
}

extension Recording.Step {
    /// Whether it used the copy that an earlier step made of the session.
    var isOfCopy: Bool { name?.contains("the copy") == true }
}

/// Bends a redirect on its way, as it was bent when the step was recorded.
struct BendingUserAgent: UserAgent {
    let next: any UserAgent
    let step: String

    init(over next: any UserAgent, step: String) {
        self.next = next
        self.step = step
    }

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await next.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                bent(try await attempt.open(url, accepting: predicate))
            },
            abandon: { await attempt.abandon() }
        )
    }

    private func bent(_ url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
        var items = parts.queryItems ?? []
        switch step {
        case "a bent state": items = items.map { $0.name == "state" ? .init(name: "state", value: "bent") : $0 }
        case "a missing state": items.removeAll { $0.name == "state" }
        case "another issuer in the redirect":
            items.removeAll { $0.name == "iss" }
            items.append(.init(name: "iss", value: "https://other.example"))
        default: return url
        }
        parts.queryItems = items
        return parts.url ?? url
    }
}
