import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A resource server's decision on a request, made in stages of which some may wait.
struct AuthorizationDecision {
    private let request: ServerRequest
    private let resource: ProtectedResource
    private let now: Date

    private var policy: AccessTokenPolicy { resource.policy }
    private var server: ResourceServer { resource.server }
    private var verifier: AccessTokenVerifier { AccessTokenVerifier(policy) }

    init(on request: ServerRequest, at resource: ProtectedResource) {
        self.request = request
        self.resource = resource
        now = resource.server.now()
    }

    /// The progress of a decision.
    private enum Stage {
        case made(Authorization)
        /// The signature must be verified with keys that are not cached.
        case keys(UnverifiedJWT, SignatureAlgorithm, KeySource, Shown)
        /// The issuer must be asked.
        case question(TokenIntrospector, Shown)
        /// Every check passed, and the proof must be remembered.
        case memory(VerifiedAccessToken, DPoPProofCheck.Proof, ProofChecking)
    }

    /// A token as the request presents it.
    private struct Shown {
        let token: Secret
        let possession: Possession
        let proof: DPoPProofCheck.Proof?
    }

    /// Decides, and waits where necessary.
    func made() async -> Authorization {
        var stage = begun()
        while true {
            switch stage {
            case .made(let authorization): return authorization
            case .keys(let token, let algorithm, let source, let shown):
                do throws(SignInError) {
                    let keys = try await source.keys(keyID: token.header.keyID, algorithm: algorithm)
                    stage = signed(token, by: keys, of: source.issuer, shown)
                } catch {
                    return .refused(.init(unavailable: .keysUnavailable(error)))
                }
            case .question(let introspector, let shown):
                do throws(SignInError) {
                    let description = try await introspector.description(of: shown.token)
                    stage = described(description, by: introspector.issuer, shown)
                } catch {
                    return .refused(.init(unavailable: .introspectionUnavailable(error)))
                }
            case .memory(let token, let proof, let proofs):
                do throws(ProofRefusal) {
                    if let failure = try await proofs.remember(proof, at: now) {
                        return .refused(.init(unavailable: .storeUnavailable(failure)))
                    }
                    return granted(token)
                } catch {
                    return refused(error)
                }
            }
        }
    }

    /// Decides as far as possible without waiting; `nil` when a stage has to wait.
    func madeNow() -> Authorization? {
        guard !waitsForMemory else { return nil }
        var stage = begun()
        if case .question(let introspector, let shown) = stage {
            guard let known = introspector.known(shown.token) else { return nil }
            stage = described(known, by: introspector.issuer, shown)
        }
        switch stage {
        case .made(let authorization): return authorization
        case .keys, .question: return nil
        case .memory(let token, let proof, let proofs):
            do throws(ProofRefusal) {
                return try proofs.rememberNow(proof, at: now) ? granted(token) : nil
            } catch {
                return refused(error)
            }
        }
    }

    /// Whether the proof must be remembered in a store that has to be waited for: verifying it now would be
    /// wasted work.
    private var waitsForMemory: Bool {
        guard let proofs = server.proofs, !proofs.remembersAtOnce,
            case .token(.dpop, _) = AccessTokenCredentials(in: request.fields)
        else { return false }
        return true
    }

    // MARK: Stages

    /// Reads the credentials, and decides as far as possible without waiting.
    private func begun() -> Stage {
        switch AccessTokenCredentials(in: request.fields) {
        case .absent: return .made(.refused(.init(.noToken, challenges: challenges())))
        case .malformed:
            let sentence = "The request has no single, well-formed access token."
            return .made(
                .refused(.init(.malformedCredentials, challenges: challenges(.bearer, .invalidRequest, sentence)))
            )
        case .token(let scheme, let token):
            do throws(ProofRefusal) {
                return read(try shown(token, scheme))
            } catch {
                return .made(refused(error))
            }
        }
    }

    /// The token with the keys that the request proves.
    private func shown(_ token: Secret, _ scheme: AccessTokenScheme) throws(ProofRefusal) -> Shown {
        let certificate = server.certificate(of: request)?.thumbprint
        guard scheme == .dpop, let proofs = server.proofs else {
            let possession = Possession(scheme: scheme, certificate: certificate)
            return Shown(token: token, possession: possession, proof: nil)
        }
        let proof = try proofs.proof(of: request, token: token, at: now)
        let possession = Possession(scheme: scheme, proofKey: proof.thumbprint, certificate: certificate)
        return Shown(token: token, possession: possession, proof: proof)
    }

    private func read(_ shown: Shown) -> Stage {
        let text = shown.token.reveal()
        if let known = server.cache?.entry(text, at: now) {
            if let refusal = verifier.refusal(of: known.token) { return .made(refused(refusal, shown)) }
            return borneOut(known.token, by: known.issuer, shown)
        }
        let introspector = server.introspectors.first { policy.issuers.contains($0.issuer) }
        let token: UnverifiedJWT
        do throws(JOSEError) {
            token = try verifier.split(text)
        } catch {
            // A token with an unknown critical header is a signed one; a token of any other format only its issuer can
            // describe.
            guard let introspector, error != .criticalHeader || !hasKeys else {
                return .made(refused(AccessTokenRefusal(error), shown))
            }
            return .question(introspector, shown)
        }
        switch authority(of: token, introspector) {
        case .keys(let source): return read(token, of: source, shown)
        case .introspector(let introspector): return .question(introspector, shown)
        case .nobody: return .made(refused(verifier.refusal(of: token) ?? AccessTokenRefusal(.issuer), shown))
        }
    }

    private func read(_ token: UnverifiedJWT, of source: KeySource, _ shown: Shown) -> Stage {
        if let refusal = verifier.refusal(of: token) { return .made(refused(refusal, shown)) }
        guard let algorithm = SignatureAlgorithm(rawValue: token.header.algorithmName) else {
            // The header's check admits known algorithms only, so this rejection is never returned.
            return .made(refused(AccessTokenRefusal(.algorithm), shown))
        }
        guard let keys = source.cachedKeys(keyID: token.header.keyID, algorithm: algorithm) else {
            return .keys(token, algorithm, source, shown)
        }
        return signed(token, by: keys, of: source.issuer, shown)
    }

    /// The means of verifying a signed token.
    private enum Authority {
        case keys(KeySource)
        case introspector(TokenIntrospector)
        case nobody
    }

    private var hasKeys: Bool { server.keys.contains { policy.issuers.contains($0.issuer) } }

    /// The means of verifying a signed token: the keys of the issuer that it claims, or introspection where those keys
    /// are not configured.
    ///
    /// With one issuer there is no choice, and nothing to read before the signature is verified.
    private func authority(of token: UnverifiedJWT, _ introspector: TokenIntrospector?) -> Authority {
        let sources = server.keys.filter { policy.issuers.contains($0.issuer) }
        let asked = introspector.flatMap { one in sources.contains { $0.issuer == one.issuer } ? nil : one }
        guard sources.count + (asked == nil ? 0 : 1) > 1 else {
            return sources.first.map(Authority.keys) ?? asked.map(Authority.introspector) ?? .nobody
        }
        guard let claimed = token.claimedIssuer else { return .nobody }
        if let source = sources.first(where: { $0.issuer.description.utf8.elementsEqual(claimed.utf8) }) {
            return .keys(source)
        }
        guard let asked, asked.issuer.description.utf8.elementsEqual(claimed.utf8) else { return .nobody }
        return .introspector(asked)
    }

    private func signed(
        _ token: UnverifiedJWT,
        by keys: JSONWebKeySet,
        of issuer: Issuer,
        _ shown: Shown
    ) -> Stage {
        switch verifier.signed(token, by: keys) {
        case .failure(let refusal): return .made(refused(refusal, shown))
        case .success(let token):
            // The cache must not keep a claim that the key does not prove.
            if policy.issuer(claimed: token.claims["iss"]) == issuer { server.cache?.keep(token, of: issuer, at: now) }
            return borneOut(token, by: issuer, shown)
        }
    }

    /// Checks the claims of a token whose signature was verified with an issuer's key, now or by an earlier request.
    private func borneOut(_ token: VerifiedJWT, by issuer: Issuer, _ shown: Shown) -> Stage {
        // An issuer's keys vouch for that issuer alone.
        guard NamedCheck.holds("access_token.keys", policy.issuer(claimed: token.claims["iss"]) == issuer) else {
            return .made(refused(AccessTokenRefusal(.issuer), shown))
        }
        return judged(verifier.verdict(on: token, shown: shown.possession, now: now), shown)
    }

    private func described(_ description: JSONObject?, by issuer: Issuer, _ shown: Shown) -> Stage {
        let verdict = verifier.verdict(
            on: description,
            by: issuer,
            of: shown.token.reveal(),
            shown: shown.possession,
            now: now
        )
        return judged(verdict, shown)
    }

    private func judged(_ verdict: AccessTokenVerdict, _ shown: Shown) -> Stage {
        switch verdict {
        case .refused(let refusal): return .made(refused(refusal, shown))
        case .accepted(let token):
            let isRevoked =
                server.revoked?.contains(token, at: now, tolerance: policy.clockTolerance.inSeconds) ?? false
            guard NamedCheck.holds("access_token.revoked", !isRevoked) else {
                return .made(refused(AccessTokenRefusal(.active), shown))
            }
            guard let proof = shown.proof, let proofs = server.proofs else { return .made(granted(token)) }
            return .memory(token, proof, proofs)
        }
    }
}

/// The responses.
extension AuthorizationDecision {
    private func granted(_ token: VerifiedAccessToken) -> Authorization {
        // Every response brings a nonce for the next request, so that no client needs an extra round trip for one.
        let needsNonce = token.proofKeyThumbprint != nil
        return .granted(token, adding: needsNonce ? server.proofs?.nonceFields(at: now) ?? [:] : [:])
    }

    private func refused(_ refusal: AccessTokenRefusal, _ shown: Shown) -> Authorization {
        let scheme: AccessTokenScheme = refusal.check == .confirmation ? preferredScheme : shown.possession.scheme
        // The token's type, and the accepted types, are for the log alone.
        let description = refusal.check == .type ? nil : refusal.description
        return .refused(
            .init(.token(refusal), challenges: challenges(scheme, refusal.code, description, refusal.check))
        )
    }

    private func refused(_ refusal: ProofRefusal) -> Authorization {
        var fields = server.proofs?.nonceFields(at: now) ?? [:]
        if refusal == .nonce { fields[.cacheControl] = "no-store" }
        return .refused(
            .init(
                .proof(refusal),
                challenges: challenges(.dpop, refusal.code, refusal.description),
                adding: fields
            )
        )
    }

    /// The scheme that this route prefers.
    private var preferredScheme: AccessTokenScheme { schemes.first ?? .bearer }

    /// The schemes that this route accepts.
    private var schemes: [AccessTokenScheme] {
        switch policy.binding {
        case .bearer, .mtls: [.bearer]
        case .dpop: [.dpop]
        case .any: server.proofs == nil ? [.bearer] : [.dpop, .bearer]
        }
    }

    /// One challenge for each accepted scheme, the one with the error first.
    ///
    /// An error about a DPoP request has no Bearer challenge next to it: client libraries look for a nonce only in a
    /// response with a single challenge (RFC 9449 section 9).
    private func challenges(
        _ scheme: AccessTokenScheme? = nil,
        _ error: OAuthError.Code? = nil,
        _ description: String? = nil,
        _ check: AccessTokenRefusal.Check? = nil
    ) -> [AccessTokenChallenge] {
        let schemes = schemes
        let told = scheme.flatMap { schemes.contains($0) ? $0 : nil } ?? schemes.first
        let isStepUp = check == .authenticationContext || check == .authenticationTime
        let named: [AccessTokenScheme] =
            error == nil
            ? schemes : told == .dpop ? [.dpop] : schemes.filter { $0 == told } + schemes.filter { $0 != told }
        return named.map { one in
            let isTold = one == told
            return AccessTokenChallenge(
                scheme: one,
                realm: server.realm,
                error: isTold ? error : nil,
                errorDescription: isTold ? description : nil,
                scopes: policy.requiredScopes,
                authenticationContexts: isTold && isStepUp ? policy.authenticationContexts : [],
                maximumAge: isTold && isStepUp ? policy.maximumAge : nil,
                resourceMetadata: server.metadata?.url,
                algorithms: one == .dpop ? server.proofs?.algorithmList ?? [] : []
            )
        }
    }
}
