import Foundation
public import OstiaryProvider

extension Provider {
    /// A provider for people: with the system's clock and the system's randomness, and its signing keys ready.
    ///
    /// - Parameters:
    ///   - configuration: Its issuer, clients and people.
    ///   - storage: Where it remembers; by default until the process ends.
    ///   - scenario: A fault to play.
    /// - Throws: ``ProviderStorageFailure`` when the signing keys cannot be read or kept.
    public static func forPeople(
        _ configuration: ProviderConfiguration,
        storage: any ProviderStorage = MemoryProviderStorage(),
        scenario: Scenario = .none
    ) async throws(ProviderStorageFailure) -> Provider {
        let provider = Provider(
            configuration: configuration,
            storage: storage,
            now: { Date() },
            random: SystemRandomNumberGenerator(),
            scenario: scenario
        )
        try await provider.prepare()
        return provider
    }
}
