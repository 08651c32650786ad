import OstiaryOAuth

extension Provider {
    /// A client that was configured or, failing that, one that registered itself.
    func client(_ id: String) async throws -> RegisteredClient? {
        configuration.client(id)
    }
}
