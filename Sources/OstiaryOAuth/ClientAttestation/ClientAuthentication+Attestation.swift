public import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientAuthentication {
    /// `attest_jwt_client_auth`: an attestation of this instance, and a new proof of possession of its key per request
    /// (draft-ietf-oauth-attestation-based-client-auth-10).
    ///
    /// The attestation is requested before the first request that needs it. It is renewed before it expires and when a
    /// server requires a newer one. A proof carries the server's challenge when there is one.
    ///
    /// - Parameter instance: One value for one authorization server.
    /// - Returns: The method of authentication.
    public static func attestation(_ instance: ClientInstance) -> ClientAuthentication {
        ClientAuthentication(method: "attest_jwt_client_auth", algorithm: instance.key.algorithm) {
            (request, client, server, fresh) throws(SignInError) in
            request.form[.clientID] = client.id
            let now = fresh.now
            let refused = fresh.refusedAttestation
            guard let held = instance.attestation(at: now), held.compact != refused else {
                let clientID = client.id
                fresh.prepare { (_, _) throws(SignInError) in
                    try await instance.renew(for: clientID, now: now, replacing: refused)
                }
                return
            }
            let challenge = fresh.attestationChallenge(of: server.issuer)
            if case .none = challenge, let endpoint = server.challengeEndpoint {
                fresh.prepare { (transport, context) throws(SignInError) in
                    let fetch = AttestationChallengeFetch(endpoint: endpoint)
                    context.attestations.remember(try await transport.perform(fetch, in: context), of: server.issuer)
                }
                return
            }
            var claims: JSONObject = [
                "iss": .string(client.id),
                "aud": .string(server.issuer.description),
                "jti": .string(fresh.oneTimeValue()),
                "iat": .whole(now.timeIntervalSince1970),
            ]
            claims["challenge"] = challenge.map { .string($0) }
            do throws(JOSEError) {
                let type = ClientAttestationProofCheck.type
                request.fields[.clientAttestationProof] = try instance.key.sign(claims: claims, type: type)
            } catch {
                switch error {
                case .keyLost: throw SignInError(.token, .keyLost)
                case .keyLocked: throw SignInError(.token, .storage(.locked))
                default: throw SignInError(.token, .configuration("The instance's key cannot sign."))
                }
            }
            request.fields[.clientAttestation] = held.compact.reveal()
            request.attestedFor = server.issuer
        }
    }
}

extension AuthorizationServer {
    /// The endpoint of the challenge for the first proof (draft-ietf-oauth-attestation-based-client-auth-10).
    var challengeEndpoint: URL? {
        guard let text = metadata["challenge_endpoint"]?.string, URIParts(text)?.isSecureOrLoopback == true else {
            return nil
        }
        return URL(string: text)
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there is a name for each.
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation`: an attester's statement about a client's instance
    /// (draft-ietf-oauth-attestation-based-client-auth-10).
    public static let clientAttestation = HTTPField.Name("OAuth-Client-Attestation")!
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation-PoP`: the instance's proof that it has the attested key.
    public static let clientAttestationProof = HTTPField.Name("OAuth-Client-Attestation-PoP")!
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation-Challenge`: the challenge that the next proof must carry.
    public static let clientAttestationChallenge = HTTPField.Name("OAuth-Client-Attestation-Challenge")!
}
