import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A registered client as it is stored: its secrets as digests only.
struct ClientRegistration: Sendable {
    var id: String
    var metadata: CheckedClientMetadata
    var issued: Date
    /// The client's secret; `nil` for none.
    var secret: SecretDigest?
    /// The secret's expiry; `nil` for a secret that does not expire.
    var secretExpires: Date?
    /// The registration access token.
    var accessToken: SecretDigest

    /// Returns the client at a given time, without a secret that has expired.
    ///
    /// `reach` are the hosts of its URIs.
    func client(at now: Date, reach: OutboundReach) -> RegisteredClient {
        let isGood = secretExpires.map { $0 > now } ?? true
        return metadata.client(id: id, secret: isGood ? secret : nil, reach: reach)
    }

    var record: ProviderRecord {
        var value: JSONObject = [
            "metadata": .object(metadata.members), "issued": .number(issued.timeIntervalSince1970),
            "access_token": .string(accessToken.text),
        ]
        value["secret"] = secret.map { .string($0.text) }
        value["secret_expires"] = secretExpires.map { .number($0.timeIntervalSince1970) }
        return ProviderRecord(kind: .registeredClient, key: id, value: value, expires: nil)
    }

    init(
        id: String,
        metadata: CheckedClientMetadata,
        issued: Date,
        secret: SecretDigest?,
        secretExpires: Date?,
        accessToken: SecretDigest
    ) {
        self.id = id
        self.metadata = metadata
        self.issued = issued
        self.secret = secret
        self.secretExpires = secretExpires
        self.accessToken = accessToken
    }

    init?(_ record: ProviderRecord) {
        guard let metadata = record.value["metadata"]?.object, let issued = record.value["issued"]?.time,
            let accessToken = record.value["access_token"]?.string, record.value.isTimeOrAbsent("secret_expires")
        else { return nil }
        self.init(
            id: record.key,
            metadata: CheckedClientMetadata(checked: metadata),
            issued: issued,
            secret: record.value["secret"]?.string.map(SecretDigest.init(text:)),
            secretExpires: record.value["secret_expires"]?.time,
            accessToken: SecretDigest(text: accessToken)
        )
    }
}

extension Provider {
    /// Returns a configured client or, failing that, a registered one.
    package func client(_ id: String) async throws -> RegisteredClient? {
        if let client = configuration.client(id) ?? clientWithScenario(id) { return client }
        return try await registration(id)?.client(at: now, reach: configuration.registration.reach)
    }

    /// Returns a registered client's registration.
    func registration(_ id: String) async throws -> ClientRegistration? {
        try await storage.record(.registeredClient, id).flatMap(ClientRegistration.init)
    }
}
