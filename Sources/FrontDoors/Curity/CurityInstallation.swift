import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one installation of an app is to one server: its client, and whoever signs in with it.
actor CurityInstallation {
    /// What it works with.
    struct Parts: Sendable {
        let userAgent: any UserAgent
        let transport: any HTTPTransport
        let store: any SecretStore
        let clock: DeviceClock
        let random: @Sendable () -> any RandomNumberGenerator
        let events: @Sendable (FlowEvent) -> Void
    }

    nonisolated let configuration: CurityConfiguration
    private let parts: Parts
    private let registrar: ClientRegistrar
    private let clock: ServerClock
    private var current: (credentials: CurityCredentials, client: SignInClient)?
    private var isSigningIn = false
    private var recovery: (client: String, task: Task<Result<Recovery, SignInError>, Never>)?
    /// A client that took the place of another and has not worked yet: it is not replaced in its turn.
    private var unproven: String?
    /// A client that the server does not know any more, to be replaced when a person is there.
    private var doubted: String?

    init(_ configuration: CurityConfiguration, _ parts: Parts) {
        self.configuration = configuration
        self.parts = parts
        let events = parts.events
        let clock = ServerClock(parts.clock, maximumCorrection: configuration.policy.maximumClockCorrection)
        self.clock = clock
        registrar = ClientRegistrar(
            issuer: configuration.issuer,
            name: "curity",
            transport: parts.transport,
            store: parts.store,
            context: ExchangeContext(clock: clock, random: parts.random, reporting: { events(.exchange($0)) })
        )
    }

    // MARK: Signing in

    func signIn(_ request: AuthorizationRequest) async throws(SignInError) -> CuritySession {
        guard !isSigningIn else { throw Curity.alreadyInProgress }
        isSigningIn = true
        defer { isSigningIn = false }
        let registration = try await usableRegistration()
        do throws(SignInError) {
            return try await begin(request)
        } catch {
            guard error.isAboutUnknownClient else { throw error }
            guard try await recovery(from: registration, withPerson: true) != .failed else { throw error }
            return try await begin(request)
        }
    }

    func restoreSession() async throws(SignInError) -> CuritySession? {
        guard let registration = try await registration() else { return nil }
        let (credentials, client) = try adopted(registration)
        guard let session = try await client.restoreSession() else { return nil }
        return CuritySession(session, of: self, with: credentials)
    }

    func resumeSignIn(from url: URL) async throws(SignInError) -> CuritySession? {
        guard let registration = try await registration() else { return nil }
        let (credentials, client) = try adopted(registration)
        guard let session = try await client.resumeSignIn(from: url) else { return nil }
        unproven = nil
        return CuritySession(session, of: self, with: credentials)
    }

    private func begin(_ request: AuthorizationRequest) async throws(SignInError) -> CuritySession {
        guard let (credentials, client) = current else { throw SignInError(.authorization, .signInRequired) }
        let session = try await client.signIn(request)
        unproven = nil
        doubted = nil
        return CuritySession(session, of: self, with: credentials)
    }

    // MARK: The registration

    func registration() async throws(SignInError) -> ClientRegistration? { try await registrar.restore() }

    func register() async throws(SignInError) -> ClientRegistration {
        if let known = try await registration() { return known }
        return try await replace(nil)
    }

    func renew() async throws(SignInError) -> ClientRegistration {
        let renewed = try await registrar.read()
        _ = try adopted(renewed)
        return renewed
    }

    func update(_ change: @Sendable (inout ClientMetadata) -> Void) async throws(SignInError) -> ClientRegistration {
        guard var metadata = try await registration()?.updatable else {
            throw SignInError(.registration, .configuration("No client is registered here yet: register one first."))
        }
        change(&metadata)
        let updated = try await registrar.update(metadata)
        _ = try adopted(updated)
        _ = try updated.client(redirectURI: configuration.redirectURI)
        return updated
    }

    func forgetDevice() async throws(SignInError) -> SignOutReport? {
        let report = try await restoreSession()?.signOut()
        guard let registration = try await registration() else { return report }
        if registration.management == nil { try await registrar.forget() } else { try await registrar.delete() }
        current = nil
        return report
    }

    /// The registration to sign in with: made, renewed or replaced first where that is due.
    private func usableRegistration() async throws(SignInError) -> ClientRegistration {
        guard let known = try await registration() else { return try await replace(nil) }
        guard doubted.map({ !known.isClient($0) }) ?? true else { return try await replaceIfAllowed(known) }
        do throws(SignInError) {
            _ = try known.client(redirectURI: configuration.redirectURI)
        } catch {
            guard error.reason == .mismatch(.redirectURI) else { throw error }
            // The app has another redirect URI than when it registered.
            return try await replaceIfAllowed(known, because: error)
        }
        _ = try adopted(known)
        let now = clock.now.timeIntervalSince1970
        let hasEnded = known.clientSecretExpiry.map { $0.timeIntervalSince1970 <= now } ?? false
        guard known.isRenewalDue(at: now) else { return hasEnded ? try await replaceIfAllowed(known) : known }
        do throws(SignInError) {
            return try await renew()
        } catch {
            if case .storage = error.reason { throw error }
            guard hasEnded else { return known }
            guard case .refused = error.reason else { throw error }
            return try await replaceIfAllowed(known, because: error)
        }
    }

    private func replaceIfAllowed(
        _ known: ClientRegistration,
        because error: SignInError = SignInError(.registration, .refused(OAuthError(code: .invalidClient)))
    ) async throws(SignInError) -> ClientRegistration {
        guard await configuration.replacement.decide(known) == .register else { throw error }
        return try await replace(known)
    }

    /// Registers a client in place of another, or of none, and forgets the session of that other one.
    private func replace(_ known: ClientRegistration?) async throws(SignInError) -> ClientRegistration {
        let metadata = try configuration.registration.metadata(for: configuration)
        let new = try await registrar.register(
            metadata,
            replacing: known,
            initialAccessToken: try await initialAccessToken()
        )
        do throws(SignInError) {
            _ = try CurityCredentials(new).client(redirectURI: configuration.redirectURI)
        } catch {
            // A client that cannot be used is not kept, here or there.
            do throws(SignInError) { try await registrar.delete() } catch { try await registrar.forget() }
            current = nil
            throw error
        }
        if let known, !new.isClient(known.clientID) {
            unproven = new.clientID
            // Its tokens were for a client that is gone.
            try? await parts.store.remove(.session(issuer: configuration.issuer, clientID: known.clientID))
        }
        _ = try adopted(new)
        return new
    }

    /// The client of a registration; that of the same client goes on with the credentials that it has now.
    private func adopted(
        _ registration: ClientRegistration
    ) throws(SignInError) -> (credentials: CurityCredentials, client: SignInClient) {
        if let current, registration.isClient(current.credentials.registration.clientID) {
            current.credentials.registration = registration
            return current
        }
        let credentials = CurityCredentials(registration)
        // A session goes on with a redirect URI that the app no longer has; a sign-in checks it first.
        let isRegistered = (try? registration.client(redirectURI: configuration.redirectURI)) != nil
        let registered = isRegistered ? nil : registration.metadata.redirectURIs.first
        let redirectURI = if let registered { try RedirectURI(registered) } else { configuration.redirectURI }
        let client = signInClient(try credentials.client(redirectURI: redirectURI), store: parts.store)
        current = (credentials, client)
        return (credentials, client)
    }

    private func signInClient(_ client: Client, store: any SecretStore) -> SignInClient {
        SignInClient(
            issuer: configuration.issuer,
            client: client,
            userAgent: parts.userAgent,
            transport: parts.transport,
            store: store,
            policy: configuration.policy,
            clock: parts.clock,
            random: parts.random,
            events: parts.events
        )
    }

    // MARK: A client that is gone

    /// What came of a client that the server did not accept.
    enum Recovery: Sendable {
        /// It has other credentials by now, which are worth a try.
        case renewed
        /// There is another client in its place, or will be: the person has to sign in again.
        case replaced
        /// Nothing was done.
        case failed
    }

    /// Finds out what became of a client, and registers one new client if there is no other way.
    ///
    /// - Parameter used: The registration with which the server was asked.
    func recovery(from used: ClientRegistration, withPerson: Bool) async throws(SignInError) -> Recovery {
        if let recovery, used.isClient(recovery.client) { return try await recovery.task.value.get() }
        let task = Task<Result<Recovery, SignInError>, Never> {
            defer { recovery = nil }
            do throws(SignInError) {
                return .success(try await recover(from: used, withPerson: withPerson))
            } catch {
                return .failure(error)
            }
        }
        recovery = (used.clientID, task)
        return try await task.value.get()
    }

    private func recover(from used: ClientRegistration, withPerson: Bool) async throws(SignInError) -> Recovery {
        // Another task or another process may have renewed or replaced it.
        if let stored = try await registration(), stored != used {
            _ = try adopted(stored)
            return used.isClient(stored.clientID) ? .renewed : .replaced
        }
        if let unproven, used.isClient(unproven) { return .failed }
        guard await configuration.replacement.decide(used) == .register else { return .failed }
        guard withPerson || !configuration.registration.access.needsPerson else {
            doubted = used.clientID
            return .replaced
        }
        _ = try await replace(used)
        return .replaced
    }
}

extension CurityInstallation {
    /// A token that allows one registration; `nil` where none is needed.
    private func initialAccessToken() async throws(SignInError) -> Secret? {
        let scopes = [CurityInitialAccess.scope]
        // What comes here is never stored: the store ends with this function.
        let store = MemoryStore()
        switch configuration.registration.access.source {
        case .none: return nil
        case .given(let provide): return try await provide()
        case .credentials(let id, let secret):
            let client = try Client(
                id: id,
                redirectURI: configuration.redirectURI,
                authentication: .clientSecretBasic(secret)
            )
            let tokens = try await signInClient(client, store: store).clientCredentials(scopes: scopes)
            return try Self.checked(tokens.accessToken, tokens.scopes)
        case .person(let id):
            let client = try Client(id: id, redirectURI: configuration.redirectURI)
            let request = AuthorizationRequest(scopes: scopes, prompt: [.login])
            let session = try await signInClient(client, store: store).signIn(request)
            return try Self.checked(try await session.accessToken(), session.scopes)
        }
    }

    /// A server leaves a scope out that the client may not have, and says so by the way.
    private static func checked(_ token: Secret, _ scopes: [Scope]) throws(SignInError) -> Secret {
        guard scopes.contains(CurityInitialAccess.scope) else {
            throw SignInError(
                .registration,
                .configuration("The client that gets initial access tokens did not get the scope dcr.")
            )
        }
        return token
    }
}

extension ClientRegistration {
    /// Whether a client identifier is this one's, byte by byte.
    func isClient(_ id: String) -> Bool { clientID.utf8.elementsEqual(id.utf8) }
}

extension SignInError {
    /// Whether the server said that it does not know the client, or not with these credentials.
    var isAboutUnknownClient: Bool {
        guard case .refused(let error) = reason else { return false }
        return error.code == .invalidClient && stage != .registration
    }
}
