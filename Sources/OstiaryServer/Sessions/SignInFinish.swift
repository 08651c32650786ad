import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place at which an app brings code and state, and gets a session.
public struct SignInFinish: ServerEndpoint {
    let sessions: ServerSessions
    let store: any BackendSignIn.Store
    private let redemptions: CodeRedemptions

    init(sessions: ServerSessions, lifetime: Double, store: any BackendSignIn.Store) {
        self.sessions = sessions
        self.store = store
        redemptions = CodeRedemptions(store: store, sealing: sessions.sealing, clock: sessions.clock)
    }

    /// 8 KiB.
    public var maximumBodyBytes: Int { 8192 }

    /// Redeems a code for whoever started the sign-in.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        do throws(SessionRefusal) {
            // The key first: what stands in the body is nobody's until it is known whose it is.
            let key = try await sessions.provenKey(of: request)
            guard request.mediaType == "application/json", let answer = Redirect(request.body) else {
                return SignInAnswer.refused("invalid_request")
            }
            var response = await redeemed(answer, for: key)
            for field in sessions.proofs.nonceFields(at: sessions.clock.now()) {
                response.fields[field.name] = field.value
            }
            return response
        } catch {
            return error.response
        }
    }

    /// What the redirect brought to the app.
    private struct Redirect {
        let code: String
        let state: String
        let issuer: String?

        /// Reads `{"code", "state"}` with or without `iss`, and nothing else.
        init?(_ body: [UInt8]) {
            let limits = JSONLimits(maximumBytes: 8192, maximumDepth: 1, maximumMembers: 4)
            guard let object = try? JSONObject(parsing: body, limits: limits),
                object.names.allSatisfy(["code", "state", "iss"].contains),
                let code = object["code"]?.string, (1...4096).contains(code.utf8.count),
                let state = object["state"]?.string, (1...512).contains(state.utf8.count)
            else { return nil }
            if let issuer = object["iss"], issuer.string == nil { return nil }
            self.code = code
            self.state = state
            issuer = object["iss"]?.string
        }
    }

    private func redeemed(_ answer: Redirect, for key: String) async -> ServerResponse {
        let outcome: CodeRedemptions.Outcome
        do throws(StorageFailure) {
            outcome = try await redemptions.outcome(
                // The key is a part of the name: who steals a code cannot use it up for its owner.
                code: StoreDigest("sign-in code", [answer.code, key]),
                request: StoreDigest("sign-in finish", [answer.code, answer.state, answer.issuer ?? "", key])
            ) { () async throws(StorageFailure) in .settled(try await finished(answer, for: key)) }
        } catch {
            return SignInAnswer.unavailable
        }
        switch outcome {
        case .underWay: return SignInAnswer.unavailable
        case .used: return SignInAnswer.refused("invalid_grant")
        case .answered(let bytes):
            guard let object = try? JSONObject(parsing: bytes) else { return SignInAnswer.unavailable }
            return .json(object, status: object["error"] == nil ? .ok : .badRequest)
        }
    }

    /// Redeems the code and begins a session; what comes of it, as JSON.
    private func finished(_ answer: Redirect, for key: String) async throws(StorageFailure) -> [UInt8] {
        let name = BackendSignIn.name(state: answer.state, key: key)
        guard let sealed = try await store.take(name, now: sessions.clock.now()) else {
            return Self.failure("invalid_grant")
        }
        guard let object = try? JSONObject(parsing: sessions.sealing.open(sealed, for: name)) else { throw .corrupted }
        let tokens: TokenSet
        do throws(SignInError) {
            tokens = try await self.tokens(for: answer, pending: object)
        } catch {
            return Self.failure(Self.code(of: error))
        }
        let handle = try await sessions.begin(tokens, keyThumbprint: key)
        return
            ([
                "session": .string(handle.reveal()), "sub": .string(tokens.identity?.subject ?? ""),
                "expires_in": .integer(Int(sessions.lifetimes.absolute)),
            ] as JSONObject)
            .encoded()
    }

    private func tokens(for answer: Redirect, pending object: JSONObject) async throws(SignInError) -> TokenSet {
        let server = try await sessions.metadata.server()
        let pending = try PendingAuthorization(stored: object, client: sessions.client, server: server)
        // The checks of a redirect are made on a redirect: the one that the app says it had.
        let base = sessions.client.redirectURI.description
        var query = Parameters([.code: answer.code, .state: answer.state])
        query[.issuer] = answer.issuer
        guard let redirect = URL(string: base + (base.contains("?") ? "&" : "?") + FormURLEncoding.encode(query)) else {
            throw SignInError(.redirect, .malformed("code"))
        }
        let requested = sessions.clock.now()
        let exchange = try pending.grant(from: redirect).exchange()
        let response = try await sessions.transport.perform(exchange, in: sessions.context)
        var keys = JSONWebKeySet([])
        if let signature = response.signature, let algorithm = signature.algorithm {
            keys = try await sessions.keys.keys(keyID: signature.keyID, algorithm: algorithm)
        }
        let tokens = try response.validated(by: keys, now: sessions.clock.now(), requested: requested)
        guard tokens.identity != nil else { throw SignInError(.identity, .mismatch(.idToken)) }
        return tokens
    }

    private static func failure(_ code: String) -> [UInt8] { (["error": .string(code)] as JSONObject).encoded() }

    /// What the app is told: whether it may start again at once.
    private static func code(of error: SignInError) -> String {
        switch error.reason {
        case .transport, .server, .timedOut: "temporarily_unavailable"
        default: "invalid_grant"
        }
    }
}
