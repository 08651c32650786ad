import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The request for the challenge of the first proof (draft-ietf-oauth-attestation-based-client-auth-10).
struct AttestationChallengeFetch: Exchange {
    let endpoint: URL

    var stage: SignInError.Stage { .token }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        EndpointRequest(
            url: endpoint,
            method: .post,
            fields: [.accept: "application/json"],
            limits: EndpointRequest.Limits(maximumBodyBytes: 16_384)
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> String {
        guard response.status == .ok else { throw response.failure(at: .token) }
        guard let challenge = try response.jsonObject(at: .token)["attestation_challenge"]?.string else {
            throw SignInError(.token, .malformed("attestation_challenge"))
        }
        return challenge
    }
}
