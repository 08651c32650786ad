import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The provider's signing keys: made when it first starts, kept in storage, replaced on demand.
actor KeyRing {
    /// The times until which a replaced key counts.
    struct Retirement: Sendable {
        /// The end of its time in the key set.
        var published: Date
        /// The end of the time in which the provider accepts its own ID tokens with that key as hints.
        var recognized: Date
    }

    struct Keys: Sendable {
        /// The signing keys, by algorithm.
        var signing: [SignatureAlgorithm: SigningKey]
        /// The keys that sign or signed, newest first.
        fileprivate var known: [(key: JSONWebKey, retirement: Retirement?)]

        /// The keys in the key set, newest first.
        func published(at now: Date) -> [JSONWebKey] {
            known.filter { $0.retirement.map { $0.published > now } ?? true }.map(\.key)
        }

        /// The keys of the provider's own tokens, newest first.
        func recognized(at now: Date) -> [JSONWebKey] {
            known.filter { $0.retirement.map { $0.recognized > now } ?? true }.map(\.key)
        }
    }

    private typealias Loading = Task<Result<Keys, ProviderStorageFailure>, Never>
    /// The record's member with the end of the key's time in the key set, in seconds since 1970.
    private static let publishedUntil = "published_until"

    private let algorithms: [SignatureAlgorithm]
    private let given: [SigningKey]
    private let storage: any ProviderStorage
    private var loading: Loading?

    init(algorithms: [SignatureAlgorithm], given: [SigningKey], storage: any ProviderStorage) {
        self.algorithms = algorithms
        self.given = given
        self.storage = storage
    }

    func keys() async throws(ProviderStorageFailure) -> Keys {
        try await result(
            of: loading ?? Task { [algorithms, given, storage] in await Self.load(algorithms, given, storage) }
        )
    }

    /// Replaces every key; concurrent calls replace one after the other.
    ///
    /// - Parameters:
    ///   - retirement: The times of the old keys; `nil` withdraws them at once.
    ///   - now: The time, by which retired keys are forgotten.
    /// - Returns: The new keys.
    @discardableResult
    func rotate(keepingOld retirement: Retirement?, now: Date) async throws(ProviderStorageFailure) -> Keys {
        let current = loading ?? Task { [algorithms, given, storage] in await Self.load(algorithms, given, storage) }
        return try await result(
            of: Task { [algorithms, storage] in
                await Self.rotate(await current.value, algorithms, storage, retirement, now)
            }
        )
    }

    /// Waits for a task, and makes the next caller read the storage after a failure.
    private func result(of task: Loading) async throws(ProviderStorageFailure) -> Keys {
        loading = task
        let result = await task.value
        if case .failure = result, loading == task { loading = nil }
        return try result.get()
    }

    /// Makes the new keys before it retires the old ones, so that a failure leaves a key to sign with.
    private static func rotate(
        _ old: Result<Keys, ProviderStorageFailure>,
        _ algorithms: [SignatureAlgorithm],
        _ storage: any ProviderStorage,
        _ retirement: Retirement?,
        _ now: Date
    ) async -> Result<Keys, ProviderStorageFailure> {
        do throws(ProviderStorageFailure) {
            let former = try old.get().known
            let records = try await storage.records(.signingKey)
            var new = Keys(signing: [:], known: [])
            for algorithm in algorithms {
                let key = try await make(algorithm, storage)
                new.signing[algorithm] = key
                new.known.append((key.publicKey, nil))
            }
            for record in records where retirement == nil || record.expires == nil {
                guard let retirement else {
                    try await storage.remove(.key(.signingKey, record.key))
                    continue
                }
                var retired = record
                retired.value[publishedUntil] = .number(retirement.published.timeIntervalSince1970)
                retired.expires = retirement.recognized
                try await storage.put(retired)
            }
            if let retirement {
                new.known += former.map { ($0.key, $0.retirement ?? retirement) }
                    .filter { $0.1.recognized > now }
            }
            return .success(new)
        } catch {
            return .failure(error)
        }
    }

    private static func load(
        _ algorithms: [SignatureAlgorithm],
        _ given: [SigningKey],
        _ storage: any ProviderStorage
    ) async -> Result<Keys, ProviderStorageFailure> {
        do throws(ProviderStorageFailure) {
            var keys = Keys(signing: [:], known: [])
            for key in given {
                keys.signing[key.algorithm] = keys.signing[key.algorithm] ?? key
                keys.known.append((key.publicKey, nil))
            }
            for record in try await storage.records(.signingKey).reversed() {
                guard let name = record.value["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name),
                    let key = try? SigningKey(privateJWK: record.value, algorithm: algorithm)
                else { throw ProviderStorageFailure("reading a signing key") }
                let published = record.value[publishedUntil]?.number.map(Date.init(timeIntervalSince1970:))
                let retirement = record.expires.map { Retirement(published: published ?? $0, recognized: $0) }
                keys.known.append((key.publicKey, retirement))
                if retirement == nil { keys.signing[algorithm] = keys.signing[algorithm] ?? key }
            }
            for algorithm in algorithms where keys.signing[algorithm] == nil {
                let key = try await make(algorithm, storage)
                keys.signing[algorithm] = key
                keys.known.append((key.publicKey, nil))
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
