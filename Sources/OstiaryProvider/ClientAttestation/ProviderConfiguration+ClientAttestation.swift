extension ProviderConfiguration {
    /// Whether a client is attested.
    var attestsClients: Bool {
        clients.contains {
            if case .attestation = $0.authenticationMethod { true } else { false }
        }
    }
}
