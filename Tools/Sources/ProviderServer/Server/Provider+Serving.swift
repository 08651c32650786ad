import OstiaryHummingbird
import OstiaryOAuth
public import OstiaryProvider

extension Provider {
    /// Makes a provider for users: with the system's clock and randomness, and its signing keys ready.
    ///
    /// - Parameters:
    ///   - configuration: Its issuer, clients and users.
    ///   - storage: The storage of its records. Default: in memory, until the process ends.
    ///   - scenario: A fault to play.
    /// - Returns: The provider.
    /// - Throws: ``ProviderStorageFailure`` when the signing keys cannot be read or stored.
    public static func forPeople(
        _ configuration: ProviderConfiguration,
        storage: any ProviderStorage = MemoryProviderStorage(),
        scenario: Scenario = .none
    ) async throws(ProviderStorageFailure) -> Provider {
        let provider = Provider(
            configuration: configuration,
            storage: storage,
            clock: .server,
            random: SystemRandomNumberGenerator(),
            scenario: scenario
        )
        try await provider.prepare()
        return provider
    }
}
