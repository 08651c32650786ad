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
        /// The algorithms of the next new keys, the default first.
        fileprivate var algorithms: [SignatureAlgorithm]
        /// The keys that sign or signed, newest first.
        fileprivate var known: [(key: JSONWebKey, retirement: Retirement?)]

        /// The key for an algorithm, or the default one: the algorithms may have changed since the caller read them.
        func key(for algorithm: SignatureAlgorithm) -> SigningKey? {
            signing[algorithm] ?? algorithms.lazy.compactMap { signing[$0] }.first
        }

        /// The keys in the key set, newest first.
        func published(at now: Date) -> [JSONWebKey] {
            known.filter { $0.retirement.map { $0.published > now } ?? true }.map(\.key)
        }

        /// The keys of the provider's own tokens, newest first.
        func recognized(at now: Date) -> [JSONWebKey] {
            known.filter { $0.retirement.map { $0.recognized > now } ?? true }.map(\.key)
        }
    }

    /// The keys after a step, and the failure of a rotation that has left the former ones.
    private struct State: Sendable {
        var keys: Result<Keys, ProviderStorageFailure>
        var failure: ProviderStorageFailure?
    }

    private typealias Step = Task<State, Never>
    /// The record's member with the end of the key's time in the key set, in seconds since 1970.
    private static let publishedUntil = "published_until"

    private var algorithms: [SignatureAlgorithm]
    private let given: [SigningKey]
    private let storage: any ProviderStorage
    private var step: Step?

    init(algorithms: [SignatureAlgorithm], given: [SigningKey], storage: any ProviderStorage) {
        self.algorithms = algorithms
        self.given = given
        self.storage = storage
    }

    func keys() async throws(ProviderStorageFailure) -> Keys {
        try await state(after: step ?? reading).keys.get()
    }

    /// Replaces every key, or none after a failure; concurrent calls replace one after the other.
    ///
    /// - Parameters:
    ///   - algorithms: The algorithms of the new keys, the default first. Default: those of the last rotation.
    ///   - retirement: The times of the old keys; `nil` withdraws them at once.
    ///   - now: The time, by which retired keys are forgotten.
    /// - Returns: The new keys.
    /// - Throws: ``ProviderStorageFailure``; the former keys go on, here and in the storage.
    @discardableResult
    func rotate(
        to algorithms: [SignatureAlgorithm]? = nil,
        keepingOld retirement: Retirement?,
        now: Date
    ) async throws(ProviderStorageFailure) -> Keys {
        let current = step ?? reading
        let state = await state(
            after: Task { [storage] in
                let former = await current.value.keys
                do throws(ProviderStorageFailure) {
                    let old = try former.get()
                    let algorithms = algorithms ?? old.algorithms
                    return State(
                        keys: .success(try await Self.replace(old, algorithms, storage, retirement, now))
                    )
                } catch {
                    return State(keys: former, failure: error)
                }
            }
        )
        if let failure = state.failure { throw failure }
        return try state.keys.get()
    }

    /// Makes the next caller read the storage, whose keys are others now.
    func reread(for algorithms: [SignatureAlgorithm]) {
        self.algorithms = algorithms
        step = nil
    }

    /// The records of new keys for algorithms that none of the given keys and of these records is for.
    nonisolated func missing(
        _ algorithms: [SignatureAlgorithm],
        among records: [ProviderRecord]
    ) throws(ProviderStorageFailure) -> [ProviderRecord] {
        let signing = records.filter { $0.kind == .signingKey && $0.expires == nil }.compactMap(Self.key)
        let present = Set((given + signing).map(\.algorithm))
        var made: [ProviderRecord] = []
        for algorithm in algorithms where !present.contains(algorithm) { made.append(try Self.make(algorithm).1) }
        return made
    }

    /// The key of a record; `nil` for a record that cannot be read.
    static func key(of record: ProviderRecord) -> SigningKey? {
        record.value["alg"]?.string.flatMap(SignatureAlgorithm.init).flatMap { algorithm in
            try? SigningKey(privateJWK: record.value, algorithm: algorithm)
        }
    }

    private var reading: Step {
        Task { [algorithms, given, storage] in State(keys: await Self.load(algorithms, given, storage)) }
    }

    /// Waits for a step, and makes the next caller read the storage when it could not be read.
    private func state(after next: Step) async -> State {
        step = next
        let state = await next.value
        if case .failure = state.keys, step == next { step = nil }
        return state
    }

    /// Returns new keys, once the storage has them and the end of the old ones in one write.
    private static func replace(
        _ old: Keys,
        _ algorithms: [SignatureAlgorithm],
        _ storage: any ProviderStorage,
        _ retirement: Retirement?,
        _ now: Date
    ) async throws(ProviderStorageFailure) -> Keys {
        let end = retirement ?? Retirement(published: now, recognized: now)
        var new = Keys(signing: [:], algorithms: algorithms, known: [])
        var changes: [ProviderRecord] = []
        for algorithm in algorithms {
            let (key, record) = try make(algorithm)
            new.signing[algorithm] = key
            new.known.append((key.publicKey, nil))
            changes.append(record)
        }
        for record in try await storage.records(.signingKey) where retirement == nil || record.expires == nil {
            var retired = record
            retired.value[publishedUntil] = .number(end.published.timeIntervalSince1970)
            retired.expires = end.recognized
            changes.append(retired)
        }
        try await storage.put(changes)
        new.known += old.known.map { ($0.key, retirement == nil ? end : $0.retirement ?? end) }
            .filter { $0.1.recognized > now }
        return new
    }

    private static func load(
        _ algorithms: [SignatureAlgorithm],
        _ given: [SigningKey],
        _ storage: any ProviderStorage
    ) async -> Result<Keys, ProviderStorageFailure> {
        do throws(ProviderStorageFailure) {
            var keys = Keys(signing: [:], algorithms: algorithms, known: [])
            for key in given {
                keys.signing[key.algorithm] = keys.signing[key.algorithm] ?? key
                keys.known.append((key.publicKey, nil))
            }
            for record in try await storage.records(.signingKey).reversed() {
                guard let key = key(of: record) else { throw ProviderStorageFailure("reading a signing key") }
                let algorithm = key.algorithm
                let published = record.value[publishedUntil]?.time
                let retirement = record.expires.map { Retirement(published: published ?? $0, recognized: $0) }
                keys.known.append((key.publicKey, retirement))
                if retirement == nil { keys.signing[algorithm] = keys.signing[algorithm] ?? key }
            }
            var made: [ProviderRecord] = []
            for algorithm in algorithms where keys.signing[algorithm] == nil {
                let (key, record) = try make(algorithm)
                keys.signing[algorithm] = key
                keys.known.append((key.publicKey, nil))
                made.append(record)
            }
            if !made.isEmpty { try await storage.put(made) }
            return .success(keys)
        } catch {
            return .failure(error)
        }
    }

    private static func make(
        _ algorithm: SignatureAlgorithm
    ) throws(ProviderStorageFailure) -> (SigningKey, ProviderRecord) {
        guard let key = try? SigningKey.generate(algorithm), let value = try? key.privateJWK() else {
            throw ProviderStorageFailure("making a signing key")
        }
        return (key, ProviderRecord(kind: .signingKey, key: key.keyID, value: value, expires: nil))
    }
}
