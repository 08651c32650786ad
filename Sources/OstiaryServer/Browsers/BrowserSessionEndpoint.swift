public import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An endpoint that pages read and write with the browser's session, from their own origin and from named ones.
public protocol BrowserEndpoint: ServerEndpoint {
    /// The methods that it answers, without OPTIONS.
    var methods: [HTTPRequest.Method] { get }
}

/// The endpoint that returns the browser's session to a page.
///
/// `GET` returns `{"iss", "sub", "claims", "expires_in"}`, and 401 `{"error": "sign_in_required"}` without a session. No
/// token is in it.
public struct BrowserSessionEndpoint: BrowserEndpoint {
    let browser: BrowserSignIn

    /// GET.
    public var methods: [HTTPRequest.Method] { [.get] }
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Returns the session's user.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await browser.answer(request, methods: methods) { session throws(StorageFailure) in
            let found = try browser.sessions.claims(of: session)
            var claims = JSONObject()
            for name in browser.claims { claims[name] = found[name] }
            return .json([
                "iss": .string(session.issuer), "sub": .string(session.subject), "claims": .object(claims),
                "expires_in": .integer(browser.sessions.secondsLeft(of: session)),
            ])
        }
    }
}

/// The endpoint that lists the sessions of the user, and ends them.
///
/// `GET` returns `{"sessions": [{"id", "current", "kind", "created", "expires_in"}]}`, of which `kind` is `browser` or `app`.
/// `DELETE` with the query `id=…` ends one of them; without it every session of the user ends, on all devices.
public struct BrowserSessionList: BrowserEndpoint {
    let browser: BrowserSignIn

    /// GET and DELETE.
    public var methods: [HTTPRequest.Method] { [.get, .delete] }
    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Lists sessions, or ends one or all of them with 204.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await browser.answer(request, methods: methods) { session async throws(StorageFailure) in
            guard request.method == .delete else { return try await list(for: session) }
            let query = FormURLEncoding.decode(String(request.target.drop { $0 != "?" }.dropFirst()))
            let names = query?.values(of: "id") ?? []
            guard let query, query.names.allSatisfy({ $0 == "id" }), names.count <= 1 else {
                // A misspelled parameter must not sign the user out everywhere.
                return .json(["error": "invalid_request"], status: .badRequest).because(RefusalReason("browser_query"))
            }
            guard let name = names.first else {
                try await browser.endAll(like: session)
                return browser.ended
            }
            // Other users' sessions are reported as not found.
            guard try await browser.end(named: name, like: session) else {
                return .json(["error": "not_found"], status: .notFound).because(RefusalReason("session_unknown"))
            }
            return name == session.name
                ? browser.ended : ServerResponse(status: .noContent, fields: [.cacheControl: "no-store"])
        }
    }

    private func list(for session: ServerSession) async throws(StorageFailure) -> ServerResponse {
        let entries = try await browser.listed(like: session).map { listed -> JSONValue in
            .object([
                "id": .string(listed.name), "current": .bool(listed.name == session.name),
                "kind": .string(listed.isOfBrowser ? "browser" : "app"),
                "created": .integer(Int(listed.created.timeIntervalSince1970)),
                "expires_in": .integer(browser.sessions.secondsLeft(of: listed)),
            ])
        }
        return .json(["sessions": .array(entries)])
    }
}

/// The endpoint that signs the user out of this service, and names the page that signs the user out of the issuer.
///
/// `POST` ends the session, revokes its refresh token, and removes the cookie. A script gets `{"end_session_url"}`, or
/// `{}` for an issuer without such a page, and navigates to it within a minute; a form is redirected to the issuer's
/// page, or to the landing page. The URL is one of this service, is valid once, and redirects to the issuer: the
/// issuer's own URL contains the ID token, which scripts must not get. (OpenID Connect RP-Initiated Logout section 2)
public struct BrowserLogout: BrowserEndpoint {
    let browser: BrowserSignIn
    /// The query parameter with the name of a stored URL.
    private static let parameter: Parameters.Name = "continue"
    /// The time for which the URL of a response is valid, in seconds.
    private static let lifetime: Double = 60

    /// POST, and GET for the URL that its response names.
    public var methods: [HTTPRequest.Method] { [.post, .get] }
    /// 1 KiB, which is not read.
    public var maximumBodyBytes: Int { 1024 }

    /// Ends the session, or redirects to the issuer's page.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        guard request.method != .get else { return await issuerPage(for: request) }
        let isForm = request.fields[.secFetchMode] == "navigate"
        let ended = browser.cookies.endedSessionField()
        var response = await browser.answer(request, methods: methods) { session async throws(StorageFailure) in
            // The session ends first: fetching the issuer's metadata may take a while.
            try await browser.sessions.end(session)
            let url = await browser.sessions.endSessionURL(of: session, returningTo: browser.postLogoutRedirectURI)
            guard !isForm else {
                return BrowserPage.redirect(to: url?.absoluteString ?? browser.landing.text, [ended])
            }
            var members = JSONObject()
            if let url { members["end_session_url"] = await stored(url).map { .string($0) } }
            return .json(members, fields: HTTPFields([ended]))
        }
        // The session had ended by itself.
        if response.status == .unauthorized {
            guard !isForm else { return BrowserPage.redirect(to: browser.landing.text, [ended]) }
            response.fields.append(ended)
        }
        return response
    }

    /// Stores a URL for one request, and returns the URL of that request; `nil` while the store is unavailable.
    private func stored(_ url: URL) async -> String? {
        let key = BrowserCookies.randomValue()
        let (name, now) = (Self.name(key), browser.sessions.clock.now())
        guard let sealed = try? browser.sessions.sealing.seal(Array(url.absoluteString.utf8), for: name),
            let isStored = try? await browser.store.put(
                sealed,
                as: name,
                until: now.addingTimeInterval(Self.lifetime),
                now: now
            ), isStored
        else { return nil }
        return browser.base.description + BrowserSignIn.logoutPlace
            + "?" + FormURLEncoding.encode([Self.parameter: key])
    }

    private static func name(_ key: String) -> StoreDigest { StoreDigest("browser end session", [key]) }

    /// Redirects to the issuer's page that a response named; to the landing page for a URL that was used or has
    /// expired.
    private func issuerPage(for request: ServerRequest) async -> ServerResponse {
        let query = FormURLEncoding.decode(String(request.target.drop { $0 != "?" }.dropFirst()))
        guard let keys = query?.values(of: Self.parameter), keys.count == 1, BrowserCookies.isRandomValue(keys[0])
        else {
            return BrowserPage.redirect(to: browser.landing.text)
        }
        let name = Self.name(keys[0])
        do throws(StorageFailure) {
            guard let sealed = try await browser.store.take(name, now: browser.sessions.clock.now()) else {
                return BrowserPage.redirect(to: browser.landing.text)
            }
            let url = try browser.sessions.sealing.open(sealed, for: name)
            return BrowserPage.redirect(to: String(decoding: url, as: UTF8.self))
        } catch {
            return BrowserLogin.unavailable(.seconds(1), because: RefusalReason(error))
        }
    }
}

extension BrowserSignIn {
    /// Serves a request with a session and its preflight, and rejects one without a session.
    fileprivate func answer(
        _ request: ServerRequest,
        methods: [HTTPRequest.Method],
        _ body: (ServerSession) async throws(StorageFailure) -> ServerResponse
    ) async -> ServerResponse {
        guard request.method != .options else { return preflight(request, methods: methods) }
        do throws(BrowserRefusal) {
            let session = try await session(of: request)
            var response: ServerResponse
            do throws(StorageFailure) {
                response = try await body(session)
            } catch {
                throw BrowserRefusal(.storeUnavailable(error), adding: sharing(with: request))
            }
            response.fields = response.fields.adding(sharing(with: request))
            return response
        } catch {
            return error.response
        }
    }

    /// The browser's own session has ended.
    fileprivate var ended: ServerResponse {
        ServerResponse(
            status: .noContent,
            fields: HTTPFields([cookies.endedSessionField()]).adding([.cacheControl: "no-store"])
        )
    }
}

extension ServerSessions {
    /// The time after which a session ends, however it is used, in whole seconds.
    fileprivate func secondsLeft(of session: ServerSession) -> Int {
        max(0, Int(session.expiry.timeIntervalSince(clock.now())))
    }
}
