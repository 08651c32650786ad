import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A token request that passed every check, and its result.
struct SSAFYRedemption {
    /// The lifetime of a verification token, in seconds.
    private static let lifetime: Double = 300
    private static let parameterNames: Set<Parameters.Name> = [
        .grantType, .clientID, .clientSecret, .code, .codeVerifier,
    ]

    /// The claims of the verification token.
    let claims: JSONObject
    private let scopes: [Scope]
    private let provider: Provider

    /// Checks a request: form, client, its secret if it has one, code, and the proof that the code is the asker's.
    init(_ request: ProviderRequest, at provider: Provider, throttle: SSAFYThrottle) async throws(SSAFYRefusal) {
        self.provider = provider
        let form = try Self.form(of: request)
        let client = try await Self.client(form, at: provider)
        if let wait = throttle.wait(for: client.id, now: provider.now) {
            throw SSAFYRefusal(.rateLimited, retryAfter: wait)
        }
        let grant = try await Self.grant(form, client, at: provider)
        guard let person = provider.user(subject: grant.subject),
            person.claims["ssafy_cohort"]?.string != nil
        else { throw SSAFYRefusal(.memberNotFound) }
        scopes = grant.scopes
        claims = Self.claims(of: person, grant, client, at: provider)
    }

    /// The token, signed; only the backend sees it.
    func response(with claims: JSONObject) async throws(SSAFYRefusal) -> ProviderResponse {
        do {
            let key = try await provider.signingKey(provider.algorithms.first ?? .rs256)
            let token = try key.sign(claims: claims, type: "JWT")
            return .json([
                "verification_token": .string(token),
                "scope": .string(scopes.text),
                "result": ["verification_id": .string(provider.random.identifier())],
            ])
        } catch {
            throw SSAFYRefusal(.tokenFailed)
        }
    }

    /// Returns a user's identifier for one client, which differs from that for any other client.
    static func subject(of person: ProviderUser, at clientID: String) -> String {
        SecretDigest(FormURLEncoding.encode(Parameters([.clientID: clientID, "sub": person.subject]))).text
    }

    private static func form(of request: ProviderRequest) throws(SSAFYRefusal) -> Parameters {
        guard request.method == .post, request.body.count <= ProviderRequest.maximumBodyBytes,
            let form = request.formParameters, form.repetition == nil,
            // A redirect_uri is one of the things that this endpoint does not have.
            form.names.allSatisfy(parameterNames.contains), form[.grantType] == "verification_code"
        else { throw SSAFYRefusal(.invalidRequest) }
        return form
    }

    private static func client(
        _ form: Parameters,
        at provider: Provider
    ) async throws(SSAFYRefusal) -> RegisteredClient {
        let known: RegisteredClient?
        do {
            if let id = form[.clientID] { known = try await provider.client(id) } else { known = nil }
        } catch {
            throw SSAFYRefusal(.tokenFailed)
        }
        guard let client = known else { throw SSAFYRefusal(.forbidden) }
        switch (client.authenticationMethod, form[.clientSecret]) {
        case (.none, nil): return client
        case (.clientSecretPost(let digest), let secret?) where digest.matches(secret): return client
        // A public client that sends a secret is rejected like a confidential one that sends none.
        default: throw SSAFYRefusal(.forbidden)
        }
    }

    private static func grant(
        _ form: Parameters,
        _ client: RegisteredClient,
        at provider: Provider
    ) async throws(SSAFYRefusal) -> IssuedGrant {
        guard let secret = form[.code], !secret.isEmpty, let verifier = form[.codeVerifier],
            ProofKeySyntax.isVerifier(verifier)
        else { throw SSAFYRefusal(.invalidRequest) }
        let found: IssuedGrant?
        do {
            found = try await provider.redeem(secret, of: client.id, verifier: verifier)
        } catch {
            throw SSAFYRefusal(.tokenFailed)
        }
        guard let found else { throw SSAFYRefusal(.tokenInvalid) }
        return found
    }

    private static func claims(
        of person: ProviderUser,
        _ grant: IssuedGrant,
        _ client: RegisteredClient,
        at provider: Provider
    ) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(provider.configuration.issuer.description),
            "aud": .string(client.id),
            "sub": .string(subject(of: person, at: client.id)),
            "client_id": .string(client.id),
            "exp": .integer(provider.now.addingTimeInterval(lifetime).numericDate),
            "iat": .integer(provider.now.numericDate),
            "auth_time": .integer(grant.authenticated.numericDate),
            "verified": true,
            "amr": ["mattermost_dm"],
            "acr": .string(SSAFYDialect.assurance),
            "jti": .string(provider.random.identifier()),
        ]
        for scope in provider.configuration.scopes where grant.scopes.contains(scope.scope) {
            for name in scope.claims { claims[name] = person.claims[name] }
        }
        return claims
    }
}
