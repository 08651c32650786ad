import OstiaryOAuth

/// The learned facts about one issuer, read from the store once and written when they have changed.
///
/// No flow fails or waits because of them: facts that the store does not read within a second, as one that waits for
/// its user to unlock a keyring, count as unknown, and facts that it does not write in that time are lost.
actor LearnedFactsCache {
    /// The place of the facts in a store.
    struct Place: Sendable {
        let store: any SecretStore
        let key: StoreKey
        /// Seconds since a fixed moment; limits how often nonces are written.
        let uptime: @Sendable () -> Double
    }

    private let place: Place
    private let issuer: Issuer
    private let metadata: IssuerMetadata
    private let keys: IssuerKeys
    private let context: ExchangeContext
    private let resourceContext: ExchangeContext?
    private var saved = LearnedFacts()
    private var consent: LearnedFacts.ConsentForRenewal?
    private var restoration: Task<LearnedFacts, Never>?
    private var isRestored = false
    private var lastWrite: Double?

    /// The time that changes of nonces alone wait after a write, in seconds: some servers send one with each response.
    private static let nonceInterval: Double = 30

    init(
        _ place: Place,
        issuer: Issuer,
        metadata: IssuerMetadata,
        keys: IssuerKeys,
        context: ExchangeContext,
        resourceContext: ExchangeContext?
    ) {
        self.place = place
        self.issuer = issuer
        self.metadata = metadata
        self.keys = keys
        self.context = context
        self.resourceContext = resourceContext
    }

    /// Reads the stored facts once and hands them out.
    func restore() async {
        if isRestored { return }
        let task =
            restoration
            ?? Task { [place, issuer] in
                await Self.withinPatience {
                    let bytes = try? await place.store.read(place.key)
                    return bytes.map { LearnedFacts($0, of: issuer) }
                } ?? LearnedFacts()
            }
        restoration = task
        let facts = await task.value
        if let metadata = facts.metadata { await self.metadata.restore(metadata) }
        if isRestored { return }
        isRestored = true
        saved = facts
        consent = facts.consent
        context.restore(facts.nonces)
        resourceContext?.restore(facts.resourceNonces)
        if let keys = facts.keys { self.keys.restore(keys) }
    }

    /// Whether sign-ins need `prompt=consent` to get a refresh token.
    func consentForRenewal() async -> LearnedFacts.ConsentForRenewal? {
        await restore()
        return consent
    }

    /// Notes whether sign-ins need `prompt=consent`; the next ``save()`` stores it.
    func note(_ consent: LearnedFacts.ConsentForRenewal?) { self.consent = consent }

    /// Writes the facts if they have changed since they were last read or written.
    func save() async {
        guard isRestored else { return }
        var facts = LearnedFacts()
        facts.metadata = await metadata.snapshot
        facts.keys = keys.snapshot
        facts.nonces = context.newestNonces(LearnedFacts.nonceCount)
        facts.resourceNonces = resourceContext?.newestNonces(LearnedFacts.nonceCount) ?? []
        facts.consent = consent
        guard facts != saved else { return }
        let now = place.uptime()
        if let lastWrite, now - lastWrite < Self.nonceInterval, facts.isSameButForNonces(as: saved) { return }
        let written = await Self.withinPatience { [place, facts] () async -> LearnedFacts? in
            do throws(StorageFailure) {
                try await place.store.write(facts.bytes(), for: place.key)
                return facts
            } catch {
                // The next process requests it again.
                return nil
            }
        }
        guard let written else { return }
        saved = written
        lastWrite = now
    }

    /// Returns what `body` returns within a second, and `nil` after that.
    private static func withinPatience<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        let outcome = OneAnswer<Value?>()
        Task { outcome.set(await body()) }
        let limit = Task {
            try await Task.sleep(for: .seconds(1))
            outcome.set(nil)
        }
        defer { limit.cancel() }
        return await outcome.value()
    }
}

extension LearnedFacts {
    fileprivate func isSameButForNonces(as other: LearnedFacts) -> Bool {
        var same = self
        same.nonces = other.nonces
        same.resourceNonces = other.resourceNonces
        return same == other
    }
}
