import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to version 1 of the server API, which a partner's backend calls.
///
/// The documented parts are strict here: paths, scopes, limits, the envelope `{ok, data}`, and errors with a code and a
/// number. The undocumented parts, such as the members of a batch's response, are as simple as possible.
struct SSAFYServerCall {
    let request: ProviderRequest
    let provider: Provider
    let dialect: SSAFYDialect
    /// The client that its token belongs to; empty before the token is checked.
    var clientID = ""

    /// The lifetime of a token, in seconds.
    private static let lifetime: Double = 600

    /// Returns the response for a path below `/v1`, given as its segments.
    static func answer(
        _ path: [String],
        _ request: ProviderRequest,
        at provider: Provider,
        _ dialect: SSAFYDialect
    ) async -> ProviderResponse {
        var call = SSAFYServerCall(request: request, provider: provider, dialect: dialect)
        do throws(SSAFYRefusal) {
            guard path != ["server", "token"] else { return try await call.token() }
            let route = "\(request.method.rawValue) /" + path.joined(separator: "/")
            guard let needed = Self.scope(request.method, path) else { throw SSAFYRefusal(.unknownPath) }
            call.clientID = try call.authorize(needed)
            if let wait = dialect.calls.wait(for: call.clientID, now: provider.now) {
                throw SSAFYRefusal(.rateLimited, retryAfter: wait)
            }
            return .json(["ok": true, "data": .object(try call.data(route, path))])
        } catch {
            return error.enveloped(requestID: provider.random.identifier())
        }
    }

    /// The scope that a path takes; `nil` for a path that there is not.
    private static func scope(_ method: HTTPRequest.Method, _ path: [String]) -> Scope? {
        switch (method, path.first, path.count) {
        case (.get, "ssafy-members", 3) where path[2] == "profile": "ssafy.profile.read"
        case (.get, "mattermost-users", 3) where path[2] == "profile": "ssafy.profile.read"
        case (.post, "mattermost-users", 3) where path[2] == "batch": "ssafy.profile.read"
        case (.post, "mattermost-users", 3) where path[2] == "sync": "ssafy.profile.sync"
        case (.get, "mattermost-users", 1): "ssafy.directory.lookup"
        case (.get, "profile-events", 1): "ssafy.profile.read"
        case (.post, "notifications", 2) where path[1] == "mattermost": "ssafy.notify.mattermost.send"
        case (.post, "notifications", 3) where path[1...] == ["mattermost", "batch"]: "ssafy.notify.mattermost.send"
        case (.get, "notifications", 1), (.get, "notifications", 2): "ssafy.notify.mattermost.status"
        default: nil
        }
    }

    private func data(_ route: String, _ path: [String]) throws(SSAFYRefusal) -> JSONObject {
        switch (path[0], path.last) {
        case ("ssafy-members", _): try memberProfile(path[1])
        case ("mattermost-users", "profile"): try mattermostProfile(path[1])
        case ("mattermost-users", "batch") where path[1] == "profiles": try profiles()
        case ("mattermost-users", "batch") where path[1] == "lifecycle": try lifecycles()
        case ("mattermost-users", "sync"): try synchronize(path[1])
        case ("mattermost-users", _) where path.count == 1: try lookUp()
        case ("profile-events", _): try events()
        case ("notifications", "mattermost"): try notify(body())
        case ("notifications", "batch"): try notifyAll()
        case ("notifications", _) where path.count == 2: try notification(path[1])
        case ("notifications", _): try campaign()
        default: throw SSAFYRefusal(.unknownPath)
        }
    }
}

extension SSAFYServerCall {
    /// Issues a token for the client's secret.
    private func token() async throws(SSAFYRefusal) -> ProviderResponse {
        guard request.method == .post else { throw SSAFYRefusal(.unknownPath) }
        let body = try body()
        guard body.names.allSatisfy(["grant_type", "client_id", "client_secret", "scope"].contains),
            body["grant_type"] == "client_credentials", let id = body["client_id"]?.string,
            let secret = body["client_secret"]?.string
        else { throw SSAFYRefusal(.invalidRequest) }
        let known: RegisteredClient?
        do { known = try await provider.client(id) } catch { throw SSAFYRefusal(.tokenFailed) }
        guard let client = known, case .clientSecretPost(let digest) = client.authenticationMethod,
            digest.matches(secret)
        else { throw SSAFYRefusal(.forbidden) }
        if let wait = dialect.throttle.wait(for: client.id, now: provider.now) {
            throw SSAFYRefusal(.rateLimited, retryAfter: wait)
        }
        let scopes = Scope.list(body["scope"]?.string ?? "")
        guard !scopes.isEmpty, scopes.allSatisfy(dialect.serverScopes.contains) else { throw SSAFYRefusal(.forbidden) }
        let token = provider.random.secret()
        let now = provider.now
        dialect.server.withLock {
            $0.add(
                .init(clientID: client.id, scopes: scopes, expires: now.addingTimeInterval(Self.lifetime)),
                as: SecretDigest(token).text,
                now: now
            )
        }
        return .json([
            "access_token": .string(token), "token_type": "Bearer", "expires_in": .integer(Int(Self.lifetime)),
        ])
    }

    /// Returns the client of the request's token, if the token covers a scope.
    private func authorize(_ scope: Scope) throws(SSAFYRefusal) -> String {
        let fields = request.fields[values: .authorization]
        let parts = fields.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw SSAFYRefusal(.tokenInvalid)
        }
        let digest = SecretDigest(String(parts[1])).text
        guard let token = dialect.server.withLock({ $0.tokens[digest] }), token.expires > provider.now else {
            throw SSAFYRefusal(.tokenInvalid)
        }
        guard token.scopes.contains(scope) else { throw SSAFYRefusal(.forbidden) }
        return token.clientID
    }

    /// Returns the body, which must be a JSON object.
    func body() throws(SSAFYRefusal) -> JSONObject {
        let type = request.fields[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == "application/json", request.body.count <= ProviderRequest.maximumBodyBytes,
            let object = try? JSONObject(parsing: request.body)
        else { throw SSAFYRefusal(.invalidRequest) }
        return object
    }

    /// The query, of which each parameter may come once and no other may.
    func query(_ names: [Parameters.Name]) throws(SSAFYRefusal) -> Parameters {
        guard let query = request.queryParameters, query.repetition == nil, query.names.allSatisfy(names.contains)
        else {
            throw SSAFYRefusal(.invalidRequest)
        }
        return query
    }
}
