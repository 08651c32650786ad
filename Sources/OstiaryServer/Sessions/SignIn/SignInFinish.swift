import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint to which an app sends code and state, and which returns a session.
public struct SignInFinish: ServerEndpoint {
    let sessions: ServerSessions
    /// Whether the app's `code` is one that ``SignInResponse`` has sealed.
    let isPosted: Bool
    let limit: RateLimit
    let store: any BackendSignIn.Store
    private let redemptions: CodeRedemptions

    init(sessions: ServerSessions, isPosted: Bool, limit: RateLimit, store: any BackendSignIn.Store) {
        self.sessions = sessions
        self.isPosted = isPosted
        self.limit = limit
        self.store = store
        redemptions = CodeRedemptions(
            store: store,
            sealing: sessions.sealing,
            redemptionTime: CodeRedemptions.signInTime,
            clock: sessions.clock
        )
    }

    /// 8 KiB.
    public var maximumBodyBytes: Int { 8192 }

    /// Redeems a code for the key that started the sign-in.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        do throws(SessionRefusal) {
            let sender = StoreDigest("sign-in finishes", [request.sender ?? ""])
            if let wait = try await sessions.wait(limit, for: sender, in: store) { return SignInAnswer.limited(wait) }
            // The key is verified first: the body is not read for an unauthenticated request.
            let key = try await sessions.provenKey(of: request)
            guard request.mediaType == "application/json", var answer = Redirect(request.body, isPosted: isPosted)
            else {
                return SignInAnswer.refused("invalid_request", RefusalReason("body"))
            }
            if isPosted {
                guard
                    let posted = PostedResponse(reference: answer.code, state: answer.state, sealing: sessions.sealing)
                else { return SignInAnswer.refused("invalid_grant", RefusalReason("posted_response")) }
                answer = Redirect(posted, state: answer.state)
            }
            let redirect = answer
            // A code can be redeemed once, so its tokens are stored even when the caller has disconnected.
            var response = await sessions.flights.finish { await self.redeemed(redirect, for: key) }
            for field in sessions.proofs.nonceFields(at: sessions.clock.now()) {
                response.fields[field.name] = field.value
            }
            return response
        } catch {
            return error.response
        }
    }

    /// The parameters of the redirect to the app.
    private struct Redirect {
        let code: String
        let state: String
        let issuer: String?
        /// The unsigned data about the user that the issuer posted.
        let user: JSONObject?

        /// Uses a response that the browser posted.
        init(_ posted: PostedResponse, state: String) {
            code = posted.code
            self.state = state
            issuer = posted.issuer
            user = posted.user
        }

        /// Reads `{"code", "state"}` with or without `iss`, and nothing else.
        init?(_ body: [UInt8], isPosted: Bool) {
            let maximumCodeBytes = isPosted ? PostedResponse.maximumBytes : 4096
            let limits = JSONLimits(maximumBytes: 8192, maximumDepth: 1, maximumMembers: 4)
            guard let object = try? JSONObject(parsing: body, limits: limits),
                object.names.allSatisfy(["code", "state", "iss"].contains),
                let code = object["code"]?.string, (1...maximumCodeBytes).contains(code.utf8.count),
                let state = object["state"]?.string, (1...512).contains(state.utf8.count)
            else { return nil }
            if let issuer = object["iss"], issuer.string == nil { return nil }
            self.code = code
            self.state = state
            issuer = object["iss"]?.string
            user = nil
        }
    }

    private func redeemed(_ answer: Redirect, for key: String) async -> ServerResponse {
        let outcome: CodeRedemptions.Outcome
        var postponed: ServerResponse?
        var failure: RefusalReason?
        do throws(StorageFailure) {
            outcome = try await redemptions.outcome(
                // The name includes the key: an attacker with a stolen code cannot use it up for its owner.
                code: StoreDigest("sign-in code", [answer.code, key]),
                request: StoreDigest("sign-in finish", [answer.code, answer.state, answer.issuer ?? "", key])
            ) { () async throws(StorageFailure) in
                switch try await finished(answer, for: key) {
                case .session(let bytes): return .settled(bytes)
                case .failed(let bytes, let reason):
                    failure = reason
                    return .settled(bytes)
                case .postponed(let response):
                    postponed = response
                    return .postponed([])
                }
            }
        } catch {
            return SignInAnswer.unavailable.because(RefusalReason(error))
        }
        if let postponed { return postponed }
        switch outcome {
        case .underWay: return SignInAnswer.unavailable.because(RefusalReason("under_way"))
        case .used: return SignInAnswer.refused("invalid_grant", RefusalReason("code_used"))
        case .answered(let bytes):
            guard let object = try? JSONObject(parsing: bytes) else {
                return SignInAnswer.unavailable.because(RefusalReason(.corrupted))
            }
            guard object["error"] != nil else { return .json(object) }
            return .json(object, status: .badRequest).because(failure ?? RefusalReason("answered_before"))
        }
    }

    /// The outcome of finishing a sign-in.
    private enum Finish {
        /// A session, as JSON.
        case session([UInt8])
        /// An error, as JSON: the code is used.
        case failed([UInt8], RefusalReason)
        /// The code was certainly not redeemed: nothing of the request is stored.
        case postponed(ServerResponse)
    }

    /// Redeems the code and begins a session.
    private func finished(_ answer: Redirect, for key: String) async throws(StorageFailure) -> Finish {
        let name = BackendSignIn.name(state: answer.state, key: key)
        let sealed: [UInt8]
        do throws(StorageFailure) {
            guard let found = try await store.take(name, now: sessions.clock.now()) else {
                // Any client can send a code that belongs to no sign-in.
                return .postponed(SignInAnswer.refused("invalid_grant", RefusalReason("unknown_sign_in")))
            }
            sealed = found
        } catch {
            return .postponed(SignInAnswer.unavailable.because(RefusalReason(error)))
        }
        guard let object = try? JSONObject(parsing: sessions.sealing.open(sealed, for: name)) else { throw .corrupted }
        let tokens: TokenSet
        do throws(CodeExchange.Failure) {
            tokens = try await CodeExchange(sessions: sessions).tokens(pending: object) { () throws(SignInError) in
                try redirect(of: answer)
            }
        } catch {
            guard error.isOfAnUntouchedCode, let end = object[SignInStart.end]?.number else {
                let answer: JSONObject = ["error": .string(Self.code(of: error.reason))]
                return .failed(answer.encoded(), RefusalReason(error.reason))
            }
            _ = try await store.put(
                sealed,
                as: name,
                until: Date(timeIntervalSince1970: end),
                now: sessions.clock.now()
            )
            return .postponed(
                SignInAnswer.unavailable(for: error.reason.retryAfter ?? .seconds(1)).because(
                    RefusalReason(error.reason)
                )
            )
        }
        let handle = try await sessions.begin(tokens, keyThumbprint: key)
        let now = sessions.clock.now()
        let seconds = max(0, sessions.absoluteExpiry(of: tokens, at: now).timeIntervalSince(now))
        var members: JSONObject = [
            "session": .string(handle.reveal()), "sub": .string(tokens.identity?.subject ?? ""),
            "expires_in": .integer(Int(seconds)),
        ]
        members["unverified_user"] = answer.user.map { .object($0) }
        return .session(members.encoded())
    }

    /// The redirect that the app reports, so that the checks of a redirect apply.
    private func redirect(of answer: Redirect) throws(SignInError) -> URL {
        let base = sessions.client.redirectURI.description
        var query = Parameters([.code: answer.code, .state: answer.state])
        query[.issuer] = answer.issuer
        guard let redirect = URL(string: base + (base.contains("?") ? "&" : "?") + FormURLEncoding.encode(query)) else {
            throw SignInError(.redirect, .malformed("code"))
        }
        return redirect
    }

    /// The app's error code, which says whether it may start again at once.
    private static func code(of error: SignInError) -> String {
        error.isOfUnavailableIssuer ? "temporarily_unavailable" : "invalid_grant"
    }
}
