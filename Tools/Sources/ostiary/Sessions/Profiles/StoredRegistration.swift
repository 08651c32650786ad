import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The registration of a profile's client, and its registrar.
struct StoredRegistration: Sendable {
    let profile: Profile
    let registration: ClientRegistration
    let registrar: ClientRegistrar

    /// Reads the registration.
    ///
    /// - Throws: ``UsageError`` when there is none, `storage` when it cannot be read.
    init(_ place: SessionOptions, telling trace: Trace) async throws {
        profile = Profile(name: place.profile, store: place.store.open())
        guard let registration = try await profile.registration() else {
            throw UsageError(
                "No client is registered for the profile \(profile.name). Run: "
                    + CommandArguments.line(of: ["register", "--issuer", "URL"])
            )
        }
        self.registration = registration
        registrar = profile.registrar(at: registration.issuer, telling: trace)
    }

    /// Forgets it, here alone.
    func forget() async throws(SignInError) {
        do throws(StorageFailure) {
            try await profile.store.remove(.registration(issuer: registration.issuer, name: profile.name.description))
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }
}

extension Profile {
    /// Forgets the registration without reading it, here alone.
    func forgetRegistration() async throws(SignInError) {
        if let issuer = try? await registrationIssuer() {
            do throws(StorageFailure) {
                try await store.remove(.registration(issuer: issuer, name: name.description))
            } catch {
                throw SignInError(.storage, .storage(error))
            }
        }
        try await setRegistrationIssuer(nil)
    }

    /// Returns the registrar of the profile's client.
    func registrar(at issuer: Issuer, telling trace: Trace) -> ClientRegistrar {
        ClientRegistrar(
            issuer: issuer,
            name: name.description,
            transport: commandTransport,
            store: store,
            context: ExchangeContext(events: { trace.record($0) })
        )
    }
}

extension Answer {
    /// The registered metadata; no credential.
    init(_ registration: ClientRegistration, _ title: String) {
        var metadata = registration.metadata.members
        // Any holder of it can register as this software.
        metadata["software_statement"] = nil
        members = [
            "issuer": .string(registration.issuer.description),
            "clientID": .string(registration.clientID),
            "hasSecret": .bool(registration.clientSecret != nil),
            "secretExpiresAt": registration.clientSecretExpiry.json,
            "manageable": .bool(registration.management != nil),
            "metadata": .object(metadata),
        ]
        text = "\(title) at \(registration.issuer.description.printable)\n\n"
        var table = ClaimsTable()
        table.add("client id", registration.clientID)
        let expiry = registration.clientSecretExpiry.map { "until \($0.internetTime)" } ?? "never expires"
        table.add("secret", registration.clientSecret == nil ? "none" : expiry)
        table.add("registration can be updated", registration.management == nil ? "no" : "yes")
        text += table.text + "\n" + ClaimsTable(metadata).text
    }
}
