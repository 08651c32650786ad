import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The registration endpoint (RFC 7591 section 3).
    func register(_ request: ProviderRequest) async throws -> ProviderResponse {
        throw Refusal.json(OAuthError(code: .accessDenied, description: "Nobody may register clients."), .forbidden)
    }

    /// The endpoint of one registered client (RFC 7592 section 2).
    func manageClient(_ request: ProviderRequest) async throws -> ProviderResponse {
        throw Refusal.challenge("Bearer realm=\"ostiary\"", .unauthorized)
    }
}
