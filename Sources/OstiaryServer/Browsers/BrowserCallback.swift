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
/// It takes the response of a sign-in that the same browser started, once, and makes every check of a redirect and of a
/// token response. The session gets a new handle whatever cookie the browser had, and an earlier session of the browser ends.
public struct BrowserCallback: ServerEndpoint {
    let browser: BrowserSignIn

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Redirects to the page that the sign-in was for, with the session's cookie; answers with a sentence otherwise.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let sessions = browser.sessions
        do throws(SessionRefusal) {
            let sender = StoreDigest("browser callbacks", [request.sender ?? ""])
            if let wait = try await sessions.wait(browser.limit, for: sender, in: browser.store) {
                return BrowserLogin.limited(wait)
            }
        } catch {
            return BrowserLogin.unavailable(1, because: error.reason.logged)
        }
        let query = String(request.target.drop { $0 != "?" }.dropFirst())
        guard query.utf8.count <= 8192, let form = FormURLEncoding.decode(query), form.values(of: .state).count == 1,
            let state = form[.state], (1...512).contains(state.utf8.count),
            let redirect = URL(string: sessions.client.redirectURI.description + "?" + query)
        else {
            return BrowserPage.response(
                .badRequest,
                "This is no response to a sign-in. Go back to the app and sign in again.",
                because: RefusalReason("authorization_response")
            )
        }
        guard let binding = browser.cookies.binding(ofSignIn: state, in: request.fields) else {
            return Self.unknown(because: "browser_binding")
        }
        let old = browser.cookies.session(in: request.fields).map { Secret($0) }
        // A code is good once, so what it brings is kept also for a browser that has gone.
        return await sessions.flights.finish {
            await self.finished(redirect, state: state, binding: binding, replacing: old)
        }
    }

    private static func unknown(because reason: String) -> ServerResponse {
        BrowserPage.response(
            .badRequest,
            "This sign-in was not started in this browser, was finished before, or took too long. Go back to the app and sign in again.",
            because: RefusalReason(reason)
        )
    }

    private func finished(
        _ redirect: URL,
        state: String,
        binding: String,
        replacing old: Secret?
    ) async -> ServerResponse {
        let sessions = browser.sessions
        let name = BrowserLogin.name(state: state, binding: binding)
        do throws(StorageFailure) {
            guard let sealed = try await browser.store.take(name, now: sessions.clock.now()) else {
                return Self.unknown(because: "unknown_sign_in")
            }
            guard let object = try? JSONObject(parsing: sessions.sealing.open(sealed, for: name)),
                let address = object[BrowserLogin.returnAddress]?.string
            else { throw .corrupted }
            let tokens: TokenSet
            do throws(CodeExchange.Failure) {
                tokens = try await CodeExchange(sessions: sessions).tokens(pending: object) { redirect }
            } catch {
                return try await answer(to: error, of: object, sealed, as: name, state: state)
            }
            let userInfo = browser.readsUserInfo ? await CodeExchange(sessions: sessions).userInfo(tokens) : nil
            let handle = try await sessions.begin(tokens, userInfo: userInfo, keyThumbprint: nil)
            if let old { await end(old) }
            let now = sessions.clock.now()
            let seconds = max(0, sessions.absoluteExpiry(of: tokens, at: now).timeIntervalSince(now))
            return BrowserPage.redirect(
                to: address,
                [
                    browser.cookies.sessionField(handle, seconds: Int(seconds)),
                    browser.cookies.endedSignInField(state),
                ]
            )
        } catch {
            return BrowserLogin.unavailable(1, because: RefusalReason(error))
        }
    }

    /// Ends the session that the browser had; one that cannot be ended now ends by itself.
    private func end(_ handle: Secret) async {
        guard let session = try? await browser.sessions.browserSession(of: handle) else { return }
        try? await browser.sessions.end(session)
    }

    /// What a browser sees whose sign-in failed; a code that was certainly not redeemed can be brought again.
    private func answer(
        to failure: CodeExchange.Failure,
        of object: JSONObject,
        _ sealed: [UInt8],
        as name: StoreDigest,
        state: String
    ) async throws(StorageFailure) -> ServerResponse {
        let reason = RefusalReason(failure.reason)
        if failure.isOfAnUntouchedCode, let end = object[BrowserLogin.end]?.number {
            _ = try await browser.store.put(
                sealed,
                as: name,
                until: Date(timeIntervalSince1970: end),
                now: browser.sessions.clock.now()
            )
            return BrowserLogin.unavailable(failure.reason.retryAfter ?? 1, because: reason)
        }
        let ended = HTTPFields([browser.cookies.endedSignInField(state)])
        guard case .refused(let error) = failure.reason.reason, failure.reason.stage == .redirect else {
            let sentence = "The sign-in did not succeed. Go back to the app and sign in again."
            let status: HTTPResponse.Status = failure.reason.isPassing ? .badGateway : .badRequest
            return BrowserPage.response(status, sentence, ended, because: reason)
        }
        let sentence =
            error.code == .accessDenied
            ? "The sign-in was cancelled. Go back to the app to sign in again."
            : "The sign-in was refused. Go back to the app and sign in again."
        return BrowserPage.response(.forbidden, sentence, ended, because: reason)
    }
}
