import OstiaryJOSE
public import OstiaryOAuth

/// Registers a client at an authorization server, and stores its credentials (RFC 7591, RFC 7592).
///
/// Each response may bring new credentials and invalidate the old ones, so it is stored before anything else is done
/// with it. One operation is in progress at a time, whatever the number of callers. It is completed even when its
/// caller is cancelled, because its response may contain the only valid credentials.
public actor ClientRegistrar {
    /// The issuer that registers the client.
    public let issuer: Issuer
    private let name: String
    private let transport: any HTTPTransport
    private let store: any SecretStore
    private let context: ExchangeContext
    private let directory: IssuerDirectory
    private var latest: Task<Void, Never>?
    /// A response of the server that could not be stored yet.
    private var unsaved: ClientRegistration?

    /// Makes a registrar.
    ///
    /// - Parameters:
    ///   - issuer: The issuer to register at.
    ///   - name: Separates several registrations at one issuer, such as a profile's name.
    ///   - server: The server's metadata, for a server that publishes none.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the registration.
    ///   - context: The clock, and the observer of requests.
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
    /// A registration that could not be stored before is stored first.
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

    /// Registers a client, which replaces a stored one.
    ///
    /// - Parameters:
    ///   - metadata: The client's metadata (RFC 7591 section 2).
    ///   - initialAccessToken: The token that a server without open registration requires.
    /// - Returns: The new registration, already stored.
    /// - Throws: `refused` when the server rejects the registration; `storage` when the registration could not be
    ///   stored, and then it is deleted at the server, if the server supports that.
    public func register(
        _ metadata: ClientMetadata,
        initialAccessToken: Secret? = nil
    ) async throws(SignInError) -> ClientRegistration {
        try await inTurn { registrar throws(SignInError) in
            try await registrar.registerNow(metadata, initialAccessToken: initialAccessToken)
        }
    }

    /// Registers a client in place of the one that the caller knows, unless another caller has done so by then.
    ///
    /// Concurrent callers whose client is lost or missing make one new client together.
    ///
    /// - Parameters:
    ///   - metadata: The client's metadata (RFC 7591 section 2).
    ///   - known: The registration that the caller knows; `nil` for none.
    ///   - initialAccessToken: The token that a server without open registration requires.
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

    /// Stores a registration that the app has kept elsewhere, unless one is stored already.
    ///
    /// - Returns: The registration that is stored now: the one that was there before, if there was one.
    /// - Throws: `mismatch(.issuer)` for another issuer's registration; `storage` when nothing could be stored or read.
    public func adopt(_ registration: ClientRegistration) async throws(SignInError) -> ClientRegistration {
        guard registration.issuer == issuer else { throw SignInError(.registration, .mismatch(.issuer)) }
        return try await inTurn { registrar throws(SignInError) in
            if let known = try await registrar.restore() { return known }
            do throws(SignInError) {
                try await registrar.keep(registration)
            } catch {
                // The app still has it: the next call adopts it.
                registrar.unsaved = nil
                throw error
            }
            return registration
        }
    }

    private func registerNow(
        _ metadata: ClientMetadata,
        initialAccessToken: Secret?
    ) async throws(SignInError) -> ClientRegistration {
        let server = try await directory.server(with: .registration)
        var registration = try await transport.perform(
            ClientRegistrationRequest(metadata, initialAccessToken: initialAccessToken, server: server),
            in: context
        )
        registration.received = context.clock.now
        do throws(SignInError) {
            try await keep(registration)
        } catch {
            // No caller has received the registration.
            unsaved = nil
            _ = try? await transport.perform(ClientConfigurationRequest.Delete(registration), in: context)
            throw error
        }
        return registration
    }

    /// Reads the registration at the server, and stores the response.
    ///
    /// - Throws: `configuration` when nothing is registered, otherwise the error of the request; the stored
    ///   registration is then unchanged.
    public func read() async throws(SignInError) -> ClientRegistration { try await manage(.read) }

    /// Replaces the metadata at the server, and stores the response.
    ///
    /// - Parameter metadata: The whole metadata: a member that is left out is deleted.
    /// - Returns: The registration as the server has it now.
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

    /// Removes the registration here; the server is not notified, and the credentials are lost for good.
    ///
    /// - Throws: `storage`; the registration is still stored then.
    public func forget() async throws(SignInError) {
        try await inTurn { registrar throws(SignInError) in try await registrar.remove() }
    }

    private func deleteNow() async throws(SignInError) {
        let registration = try await stored()
        do throws(SignInError) {
            try await transport.perform(ClientConfigurationRequest.Delete(registration), in: context)
        } catch {
            // The server no longer knows client or token, so the client is deleted (RFC 7592 section 2.3).
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

    private func manage(_ act: ClientConfigurationRequest.Act) async throws(SignInError) -> ClientRegistration {
        try await inTurn { registrar throws(SignInError) in try await registrar.manageNow(act) }
    }

    private func manageNow(_ act: ClientConfigurationRequest.Act) async throws(SignInError) -> ClientRegistration {
        var registration = try await transport.perform(
            ClientConfigurationRequest(act, of: try await stored()),
            in: context
        )
        registration.received = context.clock.now
        try await keep(registration)
        return registration
    }

    /// Performs one operation after all earlier ones.
    ///
    /// Of two concurrent operations that rotate credentials, one would otherwise use those that the other has
    /// invalidated.
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
