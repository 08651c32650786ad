import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint that returns the page of a sign-in to an app.
public struct SignInStart: ServerEndpoint {
    let sessions: ServerSessions
    let request: AuthorizationRequest
    let nativeHost: String?
    let lifetime: Duration
    /// The member of a stored sign-in that says when it ends, in seconds since 1970.
    static let end = "kept_until"
    let limit: RateLimit
    let store: any BackendSignIn.Store

    /// 1 KiB: an empty body, or an empty object.
    public var maximumBodyBytes: Int { 1024 }

    /// Starts a sign-in for the key that the request proves.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let now = sessions.clock.now()
        do throws(SessionRefusal) {
            let sender = StoreDigest("sign-in starts", [request.sender ?? ""])
            if let wait = try await sessions.wait(limit, for: sender, in: store) { return SignInAnswer.limited(wait) }
            let key = try await sessions.provenKey(of: request)
            return await page(for: key, at: now)
        } catch {
            return error.response
        }
    }

    private func page(for key: String, at now: Date) async -> ServerResponse {
        do throws(SignInError) {
            let pending = try await sessions.pending(request)
            var stored = try pending.stored()
            let expiry = now.addingTimeInterval(lifetime.inSeconds)
            stored[Self.end] = .number(expiry.timeIntervalSince1970)
            guard let state = stored["state"]?.string else {
                return SignInAnswer.unavailable.because(RefusalReason(.corrupted))
            }
            let name = BackendSignIn.name(state: state, key: key)
            do throws(StorageFailure) {
                let sealed = try sessions.sealing.seal(stored.encoded(), for: name)
                guard try await store.put(sealed, as: name, until: expiry, now: now) else {
                    return SignInAnswer.unavailable.because(RefusalReason(.unavailable))
                }
            } catch {
                return SignInAnswer.unavailable.because(RefusalReason(error))
            }
            var members: JSONObject = [
                "start_url": .string(pending.url.absoluteString), "state": .string(state),
                "expires_in": .integer(Int(lifetime.inSeconds)),
            ]
            members["native_start_url"] = nativeTwin(of: pending.url).map { .string($0) }
            return .json(members, fields: sessions.proofs.nonceFields(at: now))
        } catch {
            return SignInAnswer.unavailable(for: error.retryAfter ?? .seconds(1)).because(RefusalReason(error))
        }
    }

    /// The same URL at the host on which the provider's own app answers.
    private func nativeTwin(of url: URL) -> String? {
        guard let nativeHost, let parts = URIParts(url), let host = parts.authority?.host else { return nil }
        let text = url.absoluteString
        // The scheme, `://`, the host as it is written, and the rest unchanged.
        let start = text.utf8.index(text.startIndex, offsetBy: parts.scheme.utf8.count + 3)
        let end = text.utf8.index(start, offsetBy: host.utf8.count)
        guard text[start..<end].lowercased().utf8.elementsEqual(host.utf8) else { return nil }
        return String(text[..<start]) + nativeHost + text[end...]
    }
}

extension ServerSessions {
    /// Sets the one-time values of a sign-in, and pushes it if necessary.
    func pending(_ request: AuthorizationRequest) async throws(SignInError) -> PendingAuthorization {
        let server = try await server()
        // Missing requirements of the token request are noticed now, and not after the user has signed in.
        try client.checkRedemption(of: request.scopes, at: server, .authorization)
        try client.authentication.requireUnexpired(at: context.clock.now)
        var random = SystemRandomNumberGenerator()
        guard try request.isPushed(by: client, to: server) else {
            return try request.prepared(for: client, at: server, using: &random)
        }
        return try await transport.perform(request.pushed(for: client, at: server, using: &random), in: context)
    }

    /// Counts a request, and returns the time to wait if it exceeds the limit.
    func wait(
        _ limit: RateLimit,
        for sender: StoreDigest,
        in store: any RateLimitStore
    ) async throws(SessionRefusal) -> Duration? {
        do throws(StorageFailure) { return try await limiter.wait(limit, for: sender, in: store) } catch {
            throw refusal(.storeUnavailable(error))
        }
    }
}

/// Further responses of a sign-in's endpoints.
enum SignInAnswer {
    static func refused(_ code: String, _ reason: RefusalReason) -> ServerResponse {
        .json(["error": .string(code)], status: .badRequest).because(reason)
    }

    static func limited(_ wait: Duration) -> ServerResponse {
        .json(
            ["error": "temporarily_unavailable"],
            status: .tooManyRequests,
            fields: [.retryAfter: wait.retryAfter]
        )
        .because(RefusalReason("limited", detail: "One client address sends too many requests."))
    }

    static let unavailable = unavailable(for: .seconds(1))

    static func unavailable(for wait: Duration) -> ServerResponse {
        .json(
            ["error": "temporarily_unavailable"],
            status: .serviceUnavailable,
            fields: [.retryAfter: wait.retryAfter]
        )
    }
}
