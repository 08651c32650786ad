public import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint that sends a browser to the issuer's sign-in page.
///
/// `return_to` names the page after the sign-in: a path at this host, or a URL at one of the configured origins.
/// Without it the path is taken from `X-Forwarded-Uri`, which a gateway sets; a browser may set it as well, without
/// harm.
public struct BrowserLogin: ServerEndpoint {
    let browser: BrowserSignIn

    /// The time that a sign-in may take.
    static let lifetime = Duration.seconds(600)
    /// The member of a stored sign-in that says when it ends, in seconds since 1970.
    static let end = "kept_until"
    /// The member of a stored sign-in with the return address.
    static let returnAddress = "return_to"
    /// The member of a stored sign-in with the digest of the session that the browser had.
    static let replaced = "replaced_session"

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// Redirects to the issuer with status 303, and sets the cookie that binds the sign-in to this browser.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        // A script that follows the redirect reaches the issuer without the user, and fails there.
        guard [nil, "navigate"].contains(request.fields[.secFetchMode]) else {
            // A script behind a gateway gets the response of the gateway's check.
            guard request.fields[.xForwardedURI] == nil else { return BrowserRefusal(.noSession).response }
            return BrowserPage.response(
                .badRequest,
                "A script cannot fetch a sign-in: navigate the window to this address.",
                because: RefusalReason("browser_navigation")
            )
        }
        guard [nil, "document"].contains(request.fields[.secFetchDest]) else {
            return BrowserPage.response(
                .badRequest,
                "A sign-in cannot be embedded: open this address in a window of its own.",
                because: RefusalReason("browser_navigation")
            )
        }
        guard let address = returnAddress(of: request) else {
            return BrowserPage.response(
                .badRequest,
                "This link leads to another site. Go back to the app and sign in there.",
                because: RefusalReason("browser_return_address")
            )
        }
        // A request that a page of another site can cause repeatedly was rejected before it counts.
        do throws(SessionRefusal) {
            let sender = StoreDigest("browser sign-ins", [request.sender ?? ""])
            if let wait = try await browser.sessions.wait(browser.limit, for: sender, in: browser.store) {
                return Self.limited(wait)
            }
        } catch {
            return Self.unavailable(.seconds(1), because: error.reason.logged)
        }
        return await page(for: request, returningTo: address)
    }

    static func limited(_ wait: Duration) -> ServerResponse {
        BrowserPage.response(
            .tooManyRequests,
            "Too many sign-ins. Wait a minute, then try again.",
            [.retryAfter: wait.retryAfter],
            because: RefusalReason("limited", detail: "One client address sends too many requests.")
        )
    }

    static func unavailable(_ wait: Duration, because reason: RefusalReason) -> ServerResponse {
        BrowserPage.response(
            .serviceUnavailable,
            BrowserPage.unavailable,
            [.retryAfter: max(.seconds(1), min(wait, .seconds(3600))).retryAfter],
            because: reason
        )
    }

    /// The address after the sign-in; `nil` for one that is not this service's.
    private func returnAddress(of request: ServerRequest) -> ReturnAddress? {
        guard let query = FormURLEncoding.decode(String(request.target.drop { $0 != "?" }.dropFirst())) else {
            return nil
        }
        let asked = query.values(of: "return_to")
        guard asked.count <= 1 else { return nil }
        if let text = asked.first { return ReturnAddress(text, pages: browser.pages) }
        guard let text = request.fields[.xForwardedURI] else { return browser.landing }
        let address = ReturnAddress(text, pages: browser.pages)
        // A sign-in must not return to its own start.
        guard let address, text.hasPrefix("/"), !browser.hasEndpoint(at: text) else { return browser.landing }
        return address
    }

    private func page(for request: ServerRequest, returningTo address: ReturnAddress) async -> ServerResponse {
        let sessions = browser.sessions
        let now = sessions.clock.now()
        do throws(SignInError) {
            let pending = try await sessions.pending(browser.request)
            let expiry = now.addingTimeInterval(Self.lifetime.inSeconds)
            var stored = try pending.stored()
            stored[Self.end] = .number(expiry.timeIntervalSince1970)
            stored[Self.returnAddress] = .string(address.text)
            // The issuer's redirect back carries no strict cookie.
            if let handle = browser.cookies.session(in: request.fields) {
                stored[Self.replaced] = .string(Base64URL.encode(sessions.id(of: handle).bytes))
            }
            guard let state = stored["state"]?.string else {
                return Self.unavailable(.seconds(1), because: RefusalReason(.corrupted))
            }
            let binding = BrowserCookies.randomValue()
            let name = Self.name(state: state, binding: binding)
            do throws(StorageFailure) {
                let sealed = try sessions.sealing.seal(stored.encoded(), for: name)
                guard try await browser.store.put(sealed, as: name, until: expiry, now: now) else {
                    return Self.unavailable(.seconds(1), because: RefusalReason(.unavailable))
                }
            } catch {
                return Self.unavailable(.seconds(1), because: RefusalReason(error))
            }
            let cookie = browser.cookies.signInField(state, binding: binding, seconds: Int(Self.lifetime.inSeconds))
            return BrowserPage.redirect(
                to: pending.url.absoluteString,
                browser.cookies.endedSignIns(in: request.fields) + [cookie]
            )
        } catch {
            return Self.unavailable(error.retryAfter ?? .seconds(1), because: RefusalReason(error))
        }
    }

    /// The name under which a sign-in is stored: of its state and of the browser that started it.
    static func name(state: String, binding: String) -> StoreDigest {
        StoreDigest("browser sign-in", [state, binding])
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there are names for them.
    // swift-format-ignore: NeverForceUnwrap
    /// `Sec-Fetch-Mode`: whether a browser loads a page or a script sends a request.
    static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    // swift-format-ignore: NeverForceUnwrap
    /// `Sec-Fetch-Dest`: what a browser does with the response, such as showing it as a `document`.
    static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Uri`: the path and query of the request that a gateway asks about.
    static let xForwardedURI = HTTPField.Name("X-Forwarded-Uri")!
    // swift-format-ignore: NeverForceUnwrap
    /// `X-Forwarded-Method`: the method of the request that a gateway asks about.
    static let xForwardedMethod = HTTPField.Name("X-Forwarded-Method")!
}
