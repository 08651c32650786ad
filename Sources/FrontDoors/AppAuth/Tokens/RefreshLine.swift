import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// The refreshes of one sign-in: the library's session, made of the refresh token by its first refresh.
final class RefreshLine: Sendable {
    private let client: SignInClient
    private let transport: AmendedTransport
    private let imported: ImportedSession
    private let session = Lock<Session?>(nil)

    /// - Parameters:
    ///   - request: The first refresh request.
    ///   - idToken: The newest ID token, whose user, nonce and time of sign-in the responses have to continue.
    ///   - store: The store of the session, for all processes that share it; `nil` keeps it in this object.
    ///   - account: Tells the sign-ins of one client apart in the store.
    /// - Throws: The error of reading the stored session.
    init(
        _ request: OIDTokenRequest,
        continuing idToken: String?,
        in store: (any SecretStore)? = nil,
        account: String? = nil
    ) async throws(SignInError) {
        guard let refreshToken = request.refreshToken, !refreshToken.isEmpty else {
            throw SignInError(.refresh, .signInRequired)
        }
        let surroundings = OIDTransportProvider.surroundings
        let claims = idToken.flatMap(IDTokenParts.init)?.claims
        var server = try request.configuration.server()
        if let issuer = claims?["iss"]?.string, server.jwksURI == nil {
            // Endpoints that the app gave: the issuer's metadata has the keys.
            server = try await request.configuration.server(
                signingFor: issuer,
                over: surroundings.transport,
                in: ExchangeContext(device: surroundings.clock)
            )
        }
        transport = AmendedTransport(next: surroundings.transport, endpoint: server.tokenEndpoint)
        client = SignInClient(
            issuer: server.issuer,
            client: try request.client(at: server),
            configuration: SignInClient.Configuration(
                server: server,
                account: account,
                userAgent: NoUserAgent(),
                transport: transport,
                store: store ?? MemoryStore(),
                clock: surroundings.clock
            )
        )
        imported = ImportedSession(
            refreshToken: Secret(refreshToken),
            scopes: OIDScopeUtilities.scopesArray(with: request.scope ?? "").map(Scope.init(rawValue:)),
            subject: claims?["sub"]?.string,
            nonce: claims?["nonce"]?.string,
            authenticationTime: claims?["auth_time"]?.number
        )
    }

    /// The tokens of a refresh, and its response as far as the library keeps it.
    ///
    /// - Parameters:
    ///   - request: The request with the parameters and header fields to send.
    ///   - known: The access token that the caller has; another process may have refreshed it.
    ///   - isForced: Whether a token that is still valid is refreshed, too.
    /// - Returns: The response.
    /// - Throws: The error of the refresh or of the store.
    func refreshed(
        _ request: OIDTokenRequest,
        insteadOf known: String?,
        forced isForced: Bool
    ) async throws(SignInError) -> OIDTokenResponse {
        var form = try request.ownParameters()
        if let scope = request.scope, !scope.isEmpty { form["scope"] = scope }
        transport.amend(with: form, request.additionalHeaders ?? [:])
        let session = try await current()
        let isNew = session.tokens.accessToken.reveal() != known
        if isForced, !isNew {
            try await session.refresh()
        } else {
            _ = try await session.accessToken()
        }
        let members = transport.takeResponse() ?? JSONObject()
        return OIDTokenResponse(request, refreshedTo: session.tokens, members: members)
    }

    /// Ends the session in the store, and revokes its refresh token where the server offers that.
    func end() async throws(SignInError) {
        if let session = try await client.restoreSession() { try await session.signOut(.revoke) }
    }

    private func current() async throws(SignInError) -> Session {
        if let known = session.withLock({ $0 }) { return known }
        let adopted = try await client.adopt(imported)
        session.withLock { $0 = adopted }
        return adopted
    }
}

/// A transport that adds an app's parameters and header fields to token requests, and keeps the newest token response.
final class AmendedTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let endpoint: URL?
    private let state = Lock(State())

    private struct State: Sendable {
        var form: [String: String] = [:]
        var headers: [String: String] = [:]
        var response: JSONObject?
    }

    init(next: any HTTPTransport, endpoint: URL?) {
        self.next = next
        self.endpoint = endpoint
    }

    func amend(with form: [String: String], _ headers: [String: String]) {
        state.withLock { ($0.form, $0.headers) = (form, headers) }
    }

    func takeResponse() -> JSONObject? {
        state.withLock { state in
            defer { state.response = nil }
            return state.response
        }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.method == .post, request.url == endpoint, request.form[.grantType] != nil else {
            return try await next.send(request)
        }
        var amended = request
        let (form, headers) = state.withLock { ($0.form, $0.headers) }
        amended.form.append(form)
        amended.add(headers)
        let response = try await next.send(amended)
        let members = response.status == .ok ? try? JSONObject(parsing: response.body) : nil
        state.withLock { $0.response = members }
        return response
    }
}

/// A refresh shows no page.
private struct NoUserAgent: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        throw SignInError(.authorization, .configuration("A refresh shows no page."))
    }
}

extension OIDTokenRequest {
    /// One refresh with a refresh token of the app's, which nothing is known of.
    func refreshed() async throws(SignInError) -> OIDTokenResponse {
        try await RefreshLine(self, continuing: nil).refreshed(self, insteadOf: nil, forced: false)
    }
}

extension OIDTokenResponse {
    /// `members` is the response that brought the tokens; empty when another process made the refresh.
    convenience init(_ request: OIDTokenRequest, refreshedTo tokens: TokenSet, members: JSONObject) {
        var members = members
        if members["access_token"]?.string != tokens.accessToken.reveal() {
            members = JSONObject()
            if tokens.refreshToken != nil { members["refresh_token"] = true }
            if tokens.identity != nil { members["id_token"] = true }
        }
        self.init(request, tokens, members: members)
    }
}
