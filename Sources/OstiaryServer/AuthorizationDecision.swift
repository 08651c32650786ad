import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way from a request to what a resource server decides on it, in stages of which some may have to wait.
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

    /// How far a decision has come.
    private enum Stage {
        case made(Authorization)
        /// The signature has to be checked, with keys that are not at hand.
        case keys(UnverifiedJWT, SignatureAlgorithm, KeySource, Shown)
        /// The issuer has to be asked.
        case question(TokenIntrospector, Shown)
        /// Everything holds, and the proof has to be remembered.
        case memory(VerifiedAccessToken, DPoPProofCheck.Proof, ProofChecking)
    }

    /// A token as the request shows it.
    private struct Shown {
        let token: Secret
        let possession: Possession
        let proof: DPoPProofCheck.Proof?
    }

    /// Decides, and waits where that is needed.
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

    /// Decides as far as that goes without waiting; `nil` when it does not go all the way.
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

    /// Whether a proof has to be remembered in a store that is waited for: checking it would be work for nothing.
    private var waitsForMemory: Bool {
        guard let proofs = server.proofs, !proofs.remembersAtOnce,
            case .token(.dpop, _) = AccessTokenCredentials(in: request.fields)
        else { return false }
        return true
    }

    // MARK: Stages

    /// Reads the credentials, and goes as far as what is at hand allows.
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

    /// The token with what the request proves besides.
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
            // A signed token that asks for an extension is one; of what is none only its issuer can say what it is.
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
            // The header's check lets only known algorithms through, so the refusal is never the one that is answered.
            return .made(refused(AccessTokenRefusal(.algorithm), shown))
        }
        guard let keys = source.keysAtHand(keyID: token.header.keyID, algorithm: algorithm) else {
            return .keys(token, algorithm, source, shown)
        }
        return signed(token, by: keys, of: source.issuer, shown)
    }

    /// Who can say whether a signed token is good.
    private enum Authority {
        case keys(KeySource)
        case introspector(TokenIntrospector)
        case nobody
    }

    private var hasKeys: Bool { server.keys.contains { policy.issuers.contains($0.issuer) } }

    /// Who can say whether a signed token is good: the keys of whoever claims to have made it, or the issuer itself where its
    /// keys are not here.
    ///
    /// With one issuer there is no choice, and nothing to read before the signature is checked.
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
            // The cache remembers no more than a key can bear out.
            if policy.issuer(claimed: token.claims["iss"]) == issuer { server.cache?.keep(token, of: issuer, at: now) }
            return borneOut(token, by: issuer, shown)
        }
    }

    /// Checks the claims of a token whose signature is of one issuer's key, just now or some requests ago.
    private func borneOut(_ token: VerifiedJWT, by issuer: Issuer, _ shown: Shown) -> Stage {
        // One issuer's keys bear out that issuer alone.
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
            let isRevoked = server.revoked?.contains(token, at: now, tolerance: policy.clockTolerance) ?? false
            guard NamedCheck.holds("access_token.revoked", !isRevoked) else {
                return .made(refused(AccessTokenRefusal(.active), shown))
            }
            guard let proof = shown.proof, let proofs = server.proofs else { return .made(granted(token)) }
            return .memory(token, proof, proofs)
        }
    }
}

/// What is answered.
extension AuthorizationDecision {
    private func granted(_ token: VerifiedAccessToken) -> Authorization {
        // A nonce for the next request comes with each answer, so that nobody is sent round again for one.
        let needsNonce = token.proofKeyThumbprint != nil
        return .granted(token, adding: needsNonce ? server.proofs?.nonceFields(at: now) ?? [:] : [:])
    }

    private func refused(_ refusal: AccessTokenRefusal, _ shown: Shown) -> Authorization {
        let scheme: AccessTokenScheme = refusal.check == .confirmation ? preferredScheme : shown.possession.scheme
        // What kind of token it is, and which would do, is for the log alone.
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

    /// How this route would rather have tokens shown.
    private var preferredScheme: AccessTokenScheme { schemes.first ?? .bearer }

    /// How this route takes tokens.
    private var schemes: [AccessTokenScheme] {
        switch policy.binding {
        case .bearer, .mtls: [.bearer]
        case .dpop: [.dpop]
        case .any: server.proofs == nil ? [.bearer] : [.dpop, .bearer]
        }
    }

    /// One challenge for each way in which this route takes tokens; the one with the error comes first.
    ///
    /// An error about a DPoP request has no Bearer challenge beside it: client libraries look for a nonce in a response
    /// with one challenge alone (RFC 9449 section 9).
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
