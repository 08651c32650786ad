import OstiaryJOSE
public import OstiaryOAuth

/// Registers a client at an authorization server by itself, and keeps what it was given (RFC 7591, RFC 7592).
///
/// Each answer may bring new credentials that make the old ones worthless, so it is stored before anything is done with
/// it, and before the caller gets it.
public actor ClientRegistrar {
    /// Where the client is registered.
    public let issuer: Issuer
    private let name: String
    private let transport: any HTTPTransport
    private let store: any SecretStore
    private let context: ExchangeContext
    private let directory: IssuerDirectory

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
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restore() async throws(SignInError) -> ClientRegistration? {
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
        let server = try await directory.completeServer()
        let registration = try await transport.perform(
            Registration(metadata, initialAccessToken: initialAccessToken, server: server),
            in: context
        )
        do throws(SignInError) {
            try await keep(registration)
        } catch {
            // Nobody will ever use it.
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
        let registration = try await stored()
        do throws(SignInError) {
            try await transport.perform(RegistrationDeletion(registration), in: context)
        } catch {
            // The server knows neither client nor token any more: it is as deleted as can be (RFC 7592 section 2.3).
            guard case .refused(let refusal) = error.reason, refusal.code == .invalidToken else { throw error }
        }
        do throws(StorageFailure) {
            try await store.remove(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private func manage(_ act: RegistrationManagement.Act) async throws(SignInError) -> ClientRegistration {
        let registration = try await transport.perform(
            RegistrationManagement(act, of: try await stored()),
            in: context
        )
        try await keep(registration)
        return registration
    }

    private func stored() async throws(SignInError) -> ClientRegistration {
        guard let registration = try await restore() else {
            throw SignInError(.registration, .configuration("No client is registered here yet: register one first."))
        }
        return registration
    }

    private func keep(_ registration: ClientRegistration) async throws(SignInError) {
        let object: JSONObject = ["version": 1, "registration": .object(registration.stored())]
        do throws(StorageFailure) {
            try await store.write(object.encoded(), for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private var key: StoreKey { .registration(issuer: issuer, name: name) }
}
