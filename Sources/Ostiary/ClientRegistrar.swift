import OstiaryJOSE
public import OstiaryOAuth

/// Registers a client at an authorization server by itself, and keeps what it was given (RFC 7591, RFC 7592).
///
/// Each answer may bring new credentials that make the old ones worthless, so it is stored before anything is done with
/// it, and before the caller gets it. However many callers there are, one act is under way at a time, and it is carried
/// through even when its caller is cancelled: what it brings may be the only credentials that are still good.
public actor ClientRegistrar {
    /// Where the client is registered.
    public let issuer: Issuer
    private let name: String
    private let transport: any HTTPTransport
    private let store: any SecretStore
    private let context: ExchangeContext
    private let directory: IssuerDirectory
    private var latest: Task<Void, Never>?
    /// What a server answered and the store would not take.
    private var unsaved: ClientRegistration?

    /// Makes a registrar.
    ///
    /// - Parameters:
    ///   - issuer: Where to register.
    ///   - name: Tells several registrations at one issuer apart, such as a profile's name.
    ///   - server: The server's metadata, for a server that publishes none.
    ///   - transport: What carries requests.
    ///   - store: What keeps the registration.
    ///   - context: The clock, and who is told of requests.
    public init(
        issuer: Issuer,
        name: String = "default",
        server: AuthorizationServer? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore,
        context: ExchangeContext = ExchangeContext()
    ) {
        self.issuer = issuer
        self.name = name
        self.transport = transport
        self.store = store
        self.context = context
        directory = IssuerDirectory(issuer: issuer, server: server, transport: transport, context: context)
    }

    /// The registration that was stored, if there is one; nothing is sent.
    ///
    /// One that could not be stored before is stored first.
    ///
    /// - Throws: `storage` when it cannot be read, or not be stored; nothing is lost by it.
    public func restore() async throws(SignInError) -> ClientRegistration? {
        if let unsaved {
            try await keep(unsaved)
            return unsaved
        }
        let value: [UInt8]?
        do throws(StorageFailure) {
            value = try await store.read(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let value else { return nil }
        guard let object = try? JSONObject(parsing: value), object["version"]?.integer == 1,
            let members = object["registration"]?.object
        else { throw SignInError(.storage, .storage(.corrupted)) }
        let registration = try ClientRegistration(stored: members)
        guard registration.issuer == issuer else { throw SignInError(.storage, .storage(.corrupted)) }
        return registration
    }

    /// Registers a client, which replaces one that was stored before.
    ///
    /// - Parameter initialAccessToken: What a server asks for that does not register everybody.
    /// - Throws: `refused` when the server says no, `storage` when the registration could not be kept: it is deleted at
    ///   the server again then, if the server lets it.
    public func register(
        _ metadata: ClientMetadata,
        initialAccessToken: Secret? = nil
    ) async throws(SignInError) -> ClientRegistration {
        try await inTurn { registrar throws(SignInError) in
            try await registrar.registerNow(metadata, initialAccessToken: initialAccessToken)
        }
    }

    /// Registers a client in place of the one that the caller knows of, unless another caller has done so by then.
    ///
    /// Callers who find at the same moment that their client is gone, or that there is none yet, make one new client
    /// together.
    ///
    /// - Parameters:
    ///   - known: The registration that the caller knows of; `nil` for none.
    ///   - initialAccessToken: What a server asks for that does not register everybody.
    /// - Returns: The new registration, or the one that another caller made meanwhile.
    /// - Throws: As ``register(_:initialAccessToken:)``; the old registration is still stored then.
    public func register(
        _ metadata: ClientMetadata,
        replacing known: ClientRegistration?,
        initialAccessToken: Secret? = nil
    ) async throws(SignInError) -> ClientRegistration {
        try await inTurn { registrar throws(SignInError) in
            if let other = try await registrar.restore(), other != known { return other }
            return try await registrar.registerNow(metadata, initialAccessToken: initialAccessToken)
        }
    }

    private func registerNow(
        _ metadata: ClientMetadata,
        initialAccessToken: Secret?
    ) async throws(SignInError) -> ClientRegistration {
        let server = try await directory.server(with: .registration)
        var registration = try await transport.perform(
            Registration(metadata, initialAccessToken: initialAccessToken, server: server),
            in: context
        )
        registration.received = context.clock.now
        do throws(SignInError) {
            try await keep(registration)
        } catch {
            // Nobody will ever use it.
            unsaved = nil
            _ = try? await transport.perform(RegistrationDeletion(registration), in: context)
            throw error
        }
        return registration
    }

    /// Reads the registration at the server, and keeps what it says now.
    ///
    /// - Throws: `configuration` when nothing is registered, otherwise what went wrong; what is stored stays then.
    public func read() async throws(SignInError) -> ClientRegistration { try await manage(.read) }

    /// Replaces the metadata at the server, and keeps what it made of it.
    ///
    /// - Parameter metadata: As a whole: what is left out is deleted.
    /// - Throws: As ``read()``.
    public func update(_ metadata: ClientMetadata) async throws(SignInError) -> ClientRegistration {
        try await manage(.update(metadata))
    }

    /// Deletes the registration at the server, and then here.
    ///
    /// - Throws: As ``read()``; the registration is still stored when the server did not delete it.
    public func delete() async throws(SignInError) {
        try await inTurn { registrar throws(SignInError) in try await registrar.deleteNow() }
    }

    /// Forgets the registration here; the server is not told, and its credentials are gone for good.
    ///
    /// - Throws: `storage`; the registration is still stored then.
    public func forget() async throws(SignInError) {
        try await inTurn { registrar throws(SignInError) in try await registrar.remove() }
    }

    private func deleteNow() async throws(SignInError) {
        let registration = try await stored()
        do throws(SignInError) {
            try await transport.perform(RegistrationDeletion(registration), in: context)
        } catch {
            // The server knows neither client nor token any more: it is as deleted as can be (RFC 7592 section 2.3).
            guard case .refused(let refusal) = error.reason, refusal.code == .invalidToken else { throw error }
        }
        try await remove()
    }

    private func remove() async throws(SignInError) {
        unsaved = nil
        do throws(StorageFailure) {
            try await store.remove(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private func manage(_ act: RegistrationManagement.Act) async throws(SignInError) -> ClientRegistration {
        try await inTurn { registrar throws(SignInError) in try await registrar.manageNow(act) }
    }

    private func manageNow(_ act: RegistrationManagement.Act) async throws(SignInError) -> ClientRegistration {
        var registration = try await transport.perform(
            RegistrationManagement(act, of: try await stored()),
            in: context
        )
        registration.received = context.clock.now
        try await keep(registration)
        return registration
    }

    /// Does one act after those that were asked for before it: of two that rotate credentials at the same moment, one
    /// would use what the other has made worthless.
    private func inTurn<Outcome: Sendable>(
        _ act: @escaping @Sendable (isolated ClientRegistrar) async throws(SignInError) -> Outcome
    ) async throws(SignInError) -> Outcome {
        let previous = latest
        let task = Task<Result<Outcome, SignInError>, Never> {
            await previous?.value
            do throws(SignInError) { return .success(try await act(self)) } catch { return .failure(error) }
        }
        latest = Task { _ = await task.value }
        return try await task.value.get()
    }

    private func stored() async throws(SignInError) -> ClientRegistration {
        guard let registration = try await restore() else {
            throw SignInError(.registration, .configuration("No client is registered here yet: register one first."))
        }
        return registration
    }

    private func keep(_ registration: ClientRegistration) async throws(SignInError) {
        unsaved = registration
        let object: JSONObject = ["version": 1, "registration": .object(registration.stored())]
        do throws(StorageFailure) {
            try await store.write(object.encoded(), for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        unsaved = nil
    }

    private var key: StoreKey { .registration(issuer: issuer, name: name) }
}
