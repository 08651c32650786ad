import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The app's half of a sign-in through the app's own backend, which holds the tokens.
///
/// The backend's half is `BackendSignIn` of OstiaryServer, and `ostiary-backend`.
///
///     let backend = try BackendClient("https://api.example.com/auth")
///     let session = try await backend.signIn(redirectingTo: "com.example.app://callback")
///     let response = try await session.data(for: EndpointRequest(url: profile))
///
/// The app receives no token. The backend returns a handle, which is worthless without this installation's key: each
/// request carries a proof by that key (RFC 9449), with the nonce that the backend requires.
public struct BackendClient: Sendable {
    /// The URL below which the backend has `start`, `finish` and `session`.
    public let base: URL
    let transport: any HTTPTransport
    let context: ExchangeContext
    let installation: InstallationKey
    private let store: any SecretStore
    private let clock: DeviceClock

    /// Describes a backend; reads and sends nothing.
    ///
    /// - Parameters:
    ///   - base: The URL of its endpoints: https, or http on loopback hosts.
    ///   - installation: The key that signs the proofs. Default: one for each base URL, in the store.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the session's handle. Default: the platform's.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each request.
    /// - Throws: `configuration` for any other URL.
    public init(
        _ base: String,
        installation: InstallationKey? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() }
    ) throws(SignInError) {
        guard let url = URL(string: base), Origin(url) != nil, url.query() == nil, url.fragment() == nil else {
            throw SignInError(
                .authorization,
                .configuration("\(base) is not the URL of a backend: https://api.example.com/auth, without a query.")
            )
        }
        self.base = url
        self.transport = transport
        self.store = store
        self.clock = clock
        self.installation = installation ?? InstallationKey(named: base, store: store)
        context = ExchangeContext(clock: ServerClock(clock), random: random)
    }

    /// Requests a page for the user to sign in on.
    ///
    /// - Throws: At stage `authorization`: `server` with the time to wait when the backend is too busy; `refused` when
    ///   it rejects the proof.
    public func start() async throws(SignInError) -> BackendClient.SignInPage {
        let answer = try await call(.post, "start", at: .authorization)
        guard let text = answer["start_url"]?.string, let url = URL(string: text), Origin(url) != nil,
            let state = answer["state"]?.string, !state.isEmpty
        else { throw SignInError(.authorization, .malformed("start_url and state of the backend")) }
        let native = answer["native_start_url"]?.string
        return BackendClient.SignInPage(
            url: url,
            nativeURL: native.flatMap { URL(string: $0) },
            state: Secret(state),
            expiry: clock.now().addingTimeInterval(answer["expires_in"]?.number ?? 600)
        )
    }

    /// Finishes a sign-in that this installation started.
    ///
    /// The handle is stored before this returns; it replaces an earlier one.
    ///
    /// - Parameters:
    ///   - code: The code of the redirect.
    ///   - state: The `state` of the redirect, which has been compared with the page's.
    ///   - issuer: The `iss` of the redirect, if it has one (RFC 9207).
    /// - Returns: The backend's session.
    /// - Throws: At stage `token`: `refused(invalid_grant)` when another installation started the sign-in, or it is
    ///   over; `server(503)` when the same call may be repeated. An earlier session is kept.
    public func finish(
        code: Secret,
        state: Secret,
        issuer: String? = nil
    ) async throws(SignInError) -> BackendSession {
        var body: JSONObject = ["code": .string(code.reveal()), "state": .string(state.reveal())]
        body["iss"] = issuer.map { .string($0) }
        let answer = try await call(.post, "finish", body, at: .token)
        guard let handle = answer["session"]?.string, Self.isHandle(handle), let subject = answer["sub"]?.string,
            !subject.isEmpty
        else { throw SignInError(.token, .malformed("session and sub of the backend")) }
        let session = BackendSession(
            of: self,
            handle: Secret(handle),
            subject: subject,
            expiry: answer["expires_in"]?.number.map { clock.now().addingTimeInterval($0) },
            unverifiedUser: answer["unverified_user"]?.object
        )
        do throws(StorageFailure) { try await store.write(session.stored, for: storeKey) } catch {
            throw SignInError(.storage, .storage(error))
        }
        return session
    }

    /// Returns the stored session, if there is one; sends nothing.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> BackendSession? {
        let bytes: [UInt8]?
        do throws(StorageFailure) { bytes = try await store.read(storeKey) } catch {
            throw SignInError(.storage, .storage(error))
        }
        return try bytes.map { (bytes) throws(SignInError) in try BackendSession(of: self, stored: bytes) }
    }

    /// Removes the stored handle, if it is still this session's.
    func forget(_ session: BackendSession) async throws(SignInError) {
        do throws(StorageFailure) {
            guard try await store.read(storeKey) == session.stored else { return }
            try await store.remove(storeKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private var storeKey: StoreKey {
        StoreKey("backend-session/" + FormURLEncoding.escape(base.absoluteString))
    }

    /// Calls an endpoint of the sign-in, with a proof and without a session.
    private func call(
        _ method: HTTPRequest.Method,
        _ name: String,
        _ body: JSONObject? = nil,
        at stage: SignInError.Stage
    ) async throws(SignInError) -> JSONObject {
        let key = try await installation.key()
        let exchange = BackendExchange(
            stage: stage,
            url: base.appending(path: name),
            method: method,
            body: body,
            key: key
        )
        return try await transport.perform(exchange, in: context)
    }

    private static func isHandle(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

extension BackendClient {
    /// The page of a sign-in that a backend has started.
    public struct SignInPage: Sendable {
        /// The page for a browser.
        public let url: URL
        /// The page on the host that the provider's own app claims; `nil` when the backend named none.
        public let nativeURL: URL?
        /// The `state` that the redirect must carry.
        public let state: Secret
        /// The time until which the sign-in can be finished.
        public let expiry: Date
    }
}

/// A request to an endpoint of a backend's sign-in, with JSON in both directions.
private struct BackendExchange: Exchange {
    let stage: SignInError.Stage
    let url: URL
    let method: HTTPRequest.Method
    let body: JSONObject?
    let key: DPoPKey

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var request = EndpointRequest(
            url: url,
            method: method,
            fields: [.accept: "application/json"],
            content: body.map { EndpointRequest.Content(mediaType: "application/json", bytes: $0.encoded()) },
            limits: EndpointRequest.Limits(maximumBodyBytes: 65_536)
        )
        try request.prove(key, &fresh)
        return request
    }

    func output(from response: EndpointResponse) throws(SignInError) -> JSONObject {
        let object =
            response.mediaType == "application/json"
            ? try? JSONObject(parsing: response.body, limits: JSONLimits(maximumBytes: 65_536)) : nil
        if response.status.kind == .successful, let object { return object }
        let code =
            object?["error"]?.string.map { OAuthError.Code(rawValue: $0) }
            ?? AuthenticateChallenge.list(in: response.fields).compactMap { $0.error?.code }.first
        let reason: SignInError.Reason =
            if response.status.kind == .successful {
                .malformed("the backend's response is not a JSON object")
            } else if let code, !response.status.isOfBusyServer {
                .refused(OAuthError(code: code))
            } else {
                .server(status: response.status.code)
            }
        throw SignInError(stage, reason, retryAfter: response.retryAfter)
    }
}
