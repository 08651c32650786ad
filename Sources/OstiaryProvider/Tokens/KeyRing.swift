import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The provider's signing keys: made when it first starts, kept in storage, replaced on demand.
actor KeyRing {
    struct Keys: Sendable {
        /// The signing keys, by algorithm.
        var signing: [SignatureAlgorithm: SigningKey]
        /// The keys in the key set, newest first.
        var published: [JSONWebKey]
    }

    private let algorithms: [SignatureAlgorithm]
    private let given: [SigningKey]
    private let storage: any ProviderStorage
    private var loading: Task<Result<Keys, ProviderStorageFailure>, Never>?

    init(algorithms: [SignatureAlgorithm], given: [SigningKey], storage: any ProviderStorage) {
        self.algorithms = algorithms
        self.given = given
        self.storage = storage
    }

    func keys() async throws(ProviderStorageFailure) -> Keys {
        let task = loading ?? Task { [algorithms, given, storage] in await Self.load(algorithms, given, storage) }
        loading = task
        let result = await task.value
        if case .failure = result { loading = nil }
        return try result.get()
    }

    /// Replaces every key; the old ones are published until then, or not at all.
    func rotate(keepingOldUntil end: Date?) async throws(ProviderStorageFailure) {
        let old = try await keys()
        for record in try await storage.records(.signingKey) {
            if let end {
                var retired = record
                retired.expires = retired.expires ?? end
                try await storage.put(retired)
            } else {
                try await storage.remove(.key(.signingKey, record.key))
            }
        }
        var new = Keys(signing: [:], published: [])
        for algorithm in algorithms {
            let key = try await Self.make(algorithm, storage)
            new.signing[algorithm] = key
            new.published.append(key.publicKey)
        }
        if end != nil { new.published += old.published }
        loading = Task { [new] in .success(new) }
    }

    private static func load(
        _ algorithms: [SignatureAlgorithm],
        _ given: [SigningKey],
        _ storage: any ProviderStorage
    ) async -> Result<Keys, ProviderStorageFailure> {
        do throws(ProviderStorageFailure) {
            var keys = Keys(signing: [:], published: [])
            for key in given {
                keys.signing[key.algorithm] = keys.signing[key.algorithm] ?? key
                keys.published.append(key.publicKey)
            }
            for record in try await storage.records(.signingKey).reversed() {
                guard let name = record.value["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name),
                    let key = try? SigningKey(privateJWK: record.value, algorithm: algorithm)
                else { throw ProviderStorageFailure("reading a signing key") }
                keys.published.append(key.publicKey)
                if record.expires == nil { keys.signing[algorithm] = keys.signing[algorithm] ?? key }
            }
            for algorithm in algorithms where keys.signing[algorithm] == nil {
                let key = try await make(algorithm, storage)
                keys.signing[algorithm] = key
                keys.published.append(key.publicKey)
            }
            return .success(keys)
        } catch {
            return .failure(error)
        }
    }

    private static func make(
        _ algorithm: SignatureAlgorithm,
        _ storage: any ProviderStorage
    ) async throws(ProviderStorageFailure) -> SigningKey {
        guard let key = try? SigningKey.generate(algorithm), let value = try? key.privateJWK() else {
            throw ProviderStorageFailure("making a signing key")
        }
        try await storage.put(ProviderRecord(kind: .signingKey, key: key.keyID, value: value, expires: nil))
        return key
    }
}
