#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An authorization request with its one-time values, before it is known how it gets to the server.
struct AuthorizationDraft: Sendable {
    let endpoint: URL
    let parameters: Parameters
    let request: AuthorizationRequest
    let client: Client
    let server: AuthorizationServer
    let state: Secret
    let nonce: Secret
    let proofKey: ProofKey
    let dpopKey: DPoPKey?
    /// The decisions about the request, such as the default scopes that were left out.
    let verdict: Verdict
}
