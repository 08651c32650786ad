public import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint to which the issuer redirects a browser, and which begins its session.
///
/// It accepts the response of a sign-in that the same browser started, and makes every check of a redirect and of a
/// token response. The session gets a new handle whatever cookie the browser had, and an earlier session of the browser
/// ends. A page that is reloaded within a minute gets the session of the first load.
public struct BrowserCallback: ServerEndpoint {
    let browser: BrowserSignIn

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Redirects to the page that the sign-in was for, with the session's cookie; otherwise responds with a sentence
    /// for the user.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let sessions = browser.sessions
        let query = String(request.target.drop { $0 != "?" }.dropFirst())
        guard query.utf8.count <= 8192, let form = FormURLEncoding.decode(query), form.values(of: .state).count == 1,
            let state = form[.state], (1...512).contains(state.utf8.count),
            let redirect = URL(string: sessions.client.redirectURI.description + "?" + query)
        else {
            return BrowserPage.response(
                .badRequest,
                "This page is not the response to a sign-in. Go back to the app and sign in again.",
                because: RefusalReason("authorization_response")
            )
        }
        guard let binding = browser.cookies.binding(ofSignIn: state, in: request.fields) else {
            return Self.unknown(because: "browser_binding")
        }
        // A request that a page of another site can cause is rejected before it counts.
        do throws(SessionRefusal) {
            let sender = StoreDigest("browser callbacks", [request.sender ?? ""])
            if let wait = try await sessions.wait(browser.limit, for: sender, in: browser.store) {
                return BrowserLogin.limited(wait)
            }
        } catch {
            return BrowserLogin.unavailable(.seconds(1), because: error.reason.logged)
        }
        let old = browser.cookies.session(in: request.fields).map { sessions.id(of: $0) }
        // A code can be redeemed once, so its tokens are stored even when the browser has disconnected.
        return await sessions.flights.finish {
            await self.answered(redirect, query: query, state: state, binding: binding, replacing: old)
        }
    }

    private static func unknown(because reason: String) -> ServerResponse {
        BrowserPage.response(
            .badRequest,
            "This sign-in was not started in this browser, was finished before, or took too long. Go back to the app and sign in again.",
            because: RefusalReason(reason)
        )
    }

    /// The members of a stored outcome: the return address, the session's handle and its lifetime in seconds; or a
    /// status and a sentence.
    private enum Member {
        static let place = "location"
        static let handle = "session"
        static let seconds = "expires_in"
        static let status = "status"
        static let sentence = "sentence"
    }

    /// The outcome of finishing a sign-in.
    private enum Finish {
        /// The code is used; the same browser may request this outcome again.
        case settled(JSONObject, RefusalReason?)
        /// The code was not redeemed, and nothing of the request is stored.
        case postponed(ServerResponse)
    }

    /// Finishes a sign-in once, and repeats the outcome to the same request.
    private func answered(
        _ redirect: URL,
        query: String,
        state: String,
        binding: String,
        replacing old: StoreDigest?
    ) async -> ServerResponse {
        var postponed: ServerResponse?
        var reason: RefusalReason?
        var begun: Secret?
        do throws(StorageFailure) {
            let outcome = try await browser.redemptions.outcome(
                code: StoreDigest("browser callback", [state, binding]),
                request: StoreDigest("browser callback request", [query, state, binding])
            ) { () async throws(StorageFailure) in
                switch try await finished(redirect, state: state, binding: binding, replacing: old) {
                case .settled(let object, let found):
                    reason = found
                    begun = object[Member.handle]?.string.map { Secret($0) }
                    return .settled(object.encoded())
                case .postponed(let response):
                    postponed = response
                    return .postponed([])
                }
            }
            if let postponed { return postponed }
            // The outcome is stored: a repeated request does not wait for the user's claims.
            if let begun, browser.readsUserInfo { await browser.sessions.addUserInfo(to: begun) }
            switch outcome {
            case .used: return Self.unknown(because: "callback_used")
            case .underWay: return BrowserLogin.unavailable(.seconds(1), because: RefusalReason("under_way"))
            case .answered(let bytes):
                guard let object = try? JSONObject(parsing: bytes) else { throw .corrupted }
                return response(object, state: state, because: reason ?? RefusalReason("answered_before"))
            }
        } catch {
            return BrowserLogin.unavailable(.seconds(1), because: RefusalReason(error))
        }
    }

    private func response(_ object: JSONObject, state: String, because reason: RefusalReason) -> ServerResponse {
        let ended = browser.cookies.endedSignInField(state)
        if let place = object[Member.place]?.string, let handle = object[Member.handle]?.string {
            let seconds = object[Member.seconds]?.integer ?? 0
            return BrowserPage.redirect(
                to: place,
                [browser.cookies.sessionField(Secret(handle), seconds: seconds), ended]
            )
        }
        let status = HTTPResponse.Status(code: object[Member.status]?.integer ?? 400)
        return BrowserPage.response(status, object[Member.sentence]?.string ?? "", HTTPFields([ended]), because: reason)
    }

    private func finished(
        _ redirect: URL,
        state: String,
        binding: String,
        replacing old: StoreDigest?
    ) async throws(StorageFailure) -> Finish {
        let sessions = browser.sessions
        let name = BrowserLogin.name(state: state, binding: binding)
        let sealed: [UInt8]
        do throws(StorageFailure) {
            guard let found = try await browser.store.take(name, now: sessions.clock.now()) else {
                return .postponed(Self.unknown(because: "unknown_sign_in"))
            }
            sealed = found
        } catch {
            return .postponed(BrowserLogin.unavailable(.seconds(1), because: RefusalReason(error)))
        }
        guard let object = try? JSONObject(parsing: sessions.sealing.open(sealed, for: name)),
            let address = object[BrowserLogin.returnAddress]?.string
        else { throw .corrupted }
        let tokens: TokenSet
        do throws(CodeExchange.Failure) {
            tokens = try await CodeExchange(sessions: sessions).tokens(pending: object) { redirect }
        } catch {
            return try await outcome(of: error, of: object, sealed, as: name)
        }
        let handle = try await sessions.begin(tokens, keyThumbprint: nil)
        let first = object[BrowserLogin.replaced]?.string.flatMap { try? Base64URL.decode($0) }
        for id in Set([old, first.flatMap { StoreDigest(bytes: $0) }].compactMap(\.self)) { await end(id) }
        let now = sessions.clock.now()
        let seconds = max(0, sessions.absoluteExpiry(of: tokens, at: now).timeIntervalSince(now))
        return .settled(
            [
                Member.place: .string(address), Member.handle: .string(handle.reveal()),
                Member.seconds: .integer(Int(seconds)),
            ],
            nil
        )
    }

    /// Ends the browser's earlier session; one that cannot be ended now expires.
    private func end(_ id: StoreDigest) async {
        guard let session = try? await browser.sessions.browserSession(id) else { return }
        try? await browser.sessions.end(session)
    }

    /// The outcome for a browser whose sign-in failed; a code that was certainly not redeemed can be presented again.
    private func outcome(
        of failure: CodeExchange.Failure,
        of object: JSONObject,
        _ sealed: [UInt8],
        as name: StoreDigest
    ) async throws(StorageFailure) -> Finish {
        let reason = RefusalReason(failure.reason)
        if failure.isOfAnUntouchedCode, let end = object[BrowserLogin.end]?.number {
            _ = try await browser.store.put(
                sealed,
                as: name,
                until: Date(timeIntervalSince1970: end),
                now: browser.sessions.clock.now()
            )
            return .postponed(BrowserLogin.unavailable(failure.reason.retryAfter ?? .seconds(1), because: reason))
        }
        func failed(_ status: HTTPResponse.Status, _ sentence: String) -> Finish {
            .settled([Member.status: .integer(status.code), Member.sentence: .string(sentence)], reason)
        }
        guard case .refused(let error) = failure.reason.reason, failure.reason.stage == .redirect else {
            return failed(
                failure.reason.isOfUnavailableIssuer ? .badGateway : .badRequest,
                "The sign-in did not succeed. Go back to the app and sign in again."
            )
        }
        return failed(
            .forbidden,
            error.code == .accessDenied
                ? "The sign-in was cancelled. Go back to the app to sign in again."
                : "The sign-in was refused. Go back to the app and sign in again."
        )
    }
}
