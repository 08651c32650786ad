import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientAuthentication {
    /// `attest_jwt_client_auth`: what an attester says of this instance, and a proof that it has the attested key, made
    /// anew for each request (draft-ietf-oauth-attestation-based-client-auth-10).
    ///
    /// The attestation is asked for before the request that needs it, renewed before it ends and when a server wants a
    /// newer one; a proof carries the server's challenge when it has one.
    ///
    /// - Parameter instance: One value for one authorization server.
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
    /// Where a challenge for the first proof is (draft-ietf-oauth-attestation-based-client-auth-10).
    var challengeEndpoint: URL? {
        guard let text = metadata["challenge_endpoint"]?.string, URIParts(text)?.isSecureOrLoopback == true else {
            return nil
        }
        return URL(string: text)
    }
}
