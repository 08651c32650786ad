public import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint that a proxy requests before it passes a request on to an application: `auth_request` of nginx,
/// `forward_auth` of Caddy, ForwardAuth of Traefik.
///
/// A browser with a session gets 200, with the user's data in fields that the proxy copies:
///
/// | Field | Value |
/// |---|---|
/// | `X-Auth-Request-User` | the subject (`sub`) |
/// | `X-Auth-Request-Preferred-Username` | `preferred_username` |
/// | `X-Auth-Request-Email` | `email`, if the issuer has verified it |
/// | `X-Auth-Request-Groups` | the groups, separated by commas |
/// | `X-Auth-Request-Access-Token` | the access token, only where it is configured |
///
/// All of them are always present, empty ones as well, so that a proxy replaces a client's fields. Caddy before 2.11.2
/// does not replace a field with an empty one, and some applications read `X_Auth_Request_User` as the same name. A
/// request with such a field, in any spelling, is therefore rejected with 403: a proxy behind another one must remove
/// them first. Bytes outside of visible ASCII, `%`, a space at either end, and a comma in a group's name are written as
/// `%` and two hexadecimal digits: no name can be mistaken for another one, or for two.
///
/// Without a session the response is 401, or a redirect to the sign-in, and 403 for a user outside of the groups. It is
/// 503 while the store is unavailable, which nginx turns into 500: `error_page 500 =503` restores it. The pages must be
/// at the host of the sign-in: no other host gets its cookies.
///
/// The check is for the proxy alone: with `passesAccessToken` its response contains the access token, which scripts
/// must not read.
public struct GatewayCheck: ServerEndpoint {
    /// The response to a browser without a session that loads a page.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        /// 401: the proxy redirects to the sign-in itself, as nginx does with `error_page`.
        case unauthorized
        /// A redirect to the sign-in: the proxy passes the response on, as Caddy and Traefik do.
        case redirect
    }

    private let browser: BrowserSignIn
    private let refusal: Refusal
    private let groupsClaim: String
    private let groups: Set<String>?
    private let acceptsUnverifiedEmail: Bool
    private let passesAccessToken: Bool
    private let claimsAge: Double

    /// Makes a gateway check.
    ///
    /// - Parameters:
    ///   - browser: The sign-in. Its cookies must be `lax`.
    ///   - refusal: The response to a browser without a session that loads a page; scripts get 401. Default: 401.
    ///   - groupsClaim: The claim of the ID token with the groups, an array of strings. Default: `groups`.
    ///   - groups: The groups of which a user must be in one; others get 403. Default: every user is admitted.
    ///   - acceptsUnverifiedEmail: Whether an email address is passed on that the issuer has not verified. At some
    ///     issuers users can enter any address. Default: no.
    ///   - passesAccessToken: Whether the application gets the access token. Default: no.
    ///   - claimsAge: The age at which the claims of the UserInfo endpoint are read anew, at least ten seconds. Those of the ID token are
    ///     as old as the last refresh, which each check makes that finds the access token about to expire. While the issuer
    ///     cannot be reached, the stored claims are used. Default: 5 minutes.
    /// - Throws: `configuration` at stage `authorization` for cookies that are `strict`: the page after a sign-in would lead
    ///   to the sign-in again.
    public init(
        _ browser: BrowserSignIn,
        refusal: Refusal = .unauthorized,
        groupsClaim: String = "groups",
        admitting groups: Set<String>? = nil,
        acceptsUnverifiedEmail: Bool = false,
        passesAccessToken: Bool = false,
        rereadingClaimsAfter claimsAge: Duration = .seconds(300)
    ) throws(SignInError) {
        guard browser.cookies.sameSite == .lax else {
            throw SignInError(
                .authorization,
                .configuration(
                    "A gateway needs lax cookies: browsers do not send strict ones with the redirect after the sign-in."
                )
            )
        }
        self.browser = browser
        self.refusal = refusal
        self.groupsClaim = groupsClaim
        self.groups = groups
        self.acceptsUnverifiedEmail = acceptsUnverifiedEmail
        self.passesAccessToken = passesAccessToken
        self.claimsAge = max(claimsAge.inSeconds, 10)
    }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None: the check does not read the request's body.
    public var maximumBodyBytes: Int { 0 }

    /// Responds to the proxy.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let hasIdentity = request.fields.contains {
            $0.name.canonicalName.replacing("_", with: "-").hasPrefix("x-auth-request-")
        }
        guard NamedCheck.holds("gateway.identity_field", !hasIdentity) else {
            return Self.denied(
                "gateway_identity_field",
                "The request has a field that names a user: have the proxy remove X-Auth-Request-* if a proxy before it adds them."
            )
        }
        let methods = request.fields[values: .xForwardedMethod]
        guard methods.count == 1, let method = methods.first.flatMap({ HTTPRequest.Method(rawValue: $0) })
        else {
            return Self.denied(
                "gateway_method",
                "The proxy's request has no X-Forwarded-Method: have the proxy set it.",
                .operator
            )
        }
        let isOwn = browser.pages.admits(request.fields, method: method)
        guard NamedCheck.holds("gateway.origin", isOwn) else {
            return Self.denied("browser_origin", "A page of another origin sent this request.")
        }
        do throws(BrowserRefusal) {
            return try await admission(of: try await browser.known(request.fields))
        } catch {
            guard refusal == .redirect, method.isSafe, BrowserSignIn.isPage(request.fields) else {
                return error.response
            }
            return browser.loginRedirect(after: error, returningTo: request.fields[.xForwardedURI]) ?? error.response
        }
    }

    private static func denied(
        _ name: String,
        _ detail: String,
        _ concern: RefusalReason.Concern = .client
    ) -> ServerResponse {
        .json(["error": "access_denied"], status: .forbidden)
            .because(RefusalReason(name, detail: detail, concern: concern))
    }

    private static func unavailable(for wait: Duration, because reason: RefusalReason) -> ServerResponse {
        .json(
            ["error": "temporarily_unavailable"],
            status: .serviceUnavailable,
            fields: [.retryAfter: max(.seconds(1), min(wait, .seconds(3600))).retryAfter]
        )
        .because(reason)
    }

    private func revalidated(_ session: ServerSession) async throws(BrowserRefusal) -> ServerSession {
        do throws(SignInError) {
            return try await browser.sessions.revalidated(
                session,
                userInfoAge: browser.readsUserInfo ? claimsAge : nil
            )
        } catch {
            if error.endsServerSession { throw .ended }
            if case .storage(let failure) = error.reason { throw BrowserRefusal(.storeUnavailable(failure)) }
            // The access token cannot be refreshed for a reason of its own: the session is valid until it expires.
            return session
        }
    }

    /// - Throws: `ended` when the session turns out to have ended, `storeUnavailable`.
    private func admission(of session: ServerSession) async throws(BrowserRefusal) -> ServerResponse {
        let session = try await revalidated(session)
        let claims: JSONObject
        let lacksUserInfo: Bool
        do throws(StorageFailure) {
            claims = try browser.sessions.claims(of: session)
            let userInfo = try browser.sessions.userInfo(of: session.record)
            lacksUserInfo = browser.readsUserInfo && userInfo == nil
        } catch {
            throw BrowserRefusal(.storeUnavailable(error))
        }
        let own = claims[groupsClaim]?.array?.compactMap(\.string) ?? []
        if let groups {
            // The user may be in one of the groups, and the issuer did not return them.
            guard !lacksUserInfo || claims[groupsClaim] != nil else {
                return Self.unavailable(
                    for: .seconds(30),
                    because: RefusalReason("gateway_claims_missing", concern: .operator)
                )
            }
            let isMember = own.contains { name in groups.contains { $0.utf8.elementsEqual(name.utf8) } }
            guard NamedCheck.holds("gateway.groups", isMember) else {
                return Self.denied(
                    "gateway_group",
                    "The user is in none of the admitted groups; the claim is \(groupsClaim)."
                )
            }
        }
        let names = own.map { FieldText.encoded($0, separator: ",") }.joined(separator: ",")
        var fields: HTTPFields = [
            .xAuthRequestUser: FieldText.encoded(session.subject),
            .xAuthRequestPreferredUsername: FieldText.encoded(claims["preferred_username"]?.string ?? ""),
            .xAuthRequestEmail: FieldText.encoded(email(in: claims)),
            .xAuthRequestGroups: names,
            .xAuthRequestAccessToken: "",
            .cacheControl: "no-store",
        ]
        let length = fields.reduce(0) { $0 + $1.value.utf8.count }
        guard length <= Self.maximumBytes else {
            return Self.denied(
                "gateway_fields_too_long",
                "The user's name, e-mail address and groups take \(length) bytes, of which \(names.utf8.count) are groups; \(Self.maximumBytes) are allowed: have the issuer send fewer groups.",
                .operator
            )
        }
        if passesAccessToken {
            do throws(SignInError) {
                fields[.xAuthRequestAccessToken] = try await browser.sessions.accessToken(ofPresented: session).reveal()
            } catch {
                guard !error.endsServerSession else { throw .ended }
                return Self.unavailable(for: error.retryAfter ?? .seconds(1), because: RefusalReason(error))
            }
        }
        return ServerResponse(status: .ok, fields: fields)
    }

    /// The largest length of all values but the access token's, in bytes: proxies read a response's head into 4 KiB.
    private static let maximumBytes = 3072

    private func email(in claims: JSONObject) -> String {
        guard let email = claims["email"]?.string, email.utf8.count <= 320 else { return "" }
        let isVerified = claims["email_verified"]?.bool == true
        return NamedCheck.holds("gateway.email", isVerified || acceptsUnverifiedEmail) ? email : ""
    }
}

/// A string from the issuer as the value of a header field.
enum FieldText {
    /// Writes bytes outside of visible ASCII, `%`, a separator, and a space at an end as `%` and two hexadecimal
    /// digits.
    static func encoded(_ text: String, separator: Unicode.Scalar? = nil) -> String {
        let bytes = Array(text.utf8)
        var encoded = ""
        for (index, byte) in bytes.enumerated() {
            let isInnerSpace = byte == 0x20 && index > 0 && index < bytes.count - 1
            let isPlain =
                (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
                && separator.map { byte != UInt8(ascii: $0) } ?? true
            if isPlain || isInnerSpace {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }
}

extension HTTPField.Name {
    // The literals are tokens, so the names are valid. They are the names that oauth2-proxy uses.
    // swift-format-ignore: NeverForceUnwrap
    static let xAuthRequestUser = HTTPField.Name("X-Auth-Request-User")!
    // swift-format-ignore: NeverForceUnwrap
    static let xAuthRequestPreferredUsername = HTTPField.Name("X-Auth-Request-Preferred-Username")!
    // swift-format-ignore: NeverForceUnwrap
    static let xAuthRequestEmail = HTTPField.Name("X-Auth-Request-Email")!
    // swift-format-ignore: NeverForceUnwrap
    static let xAuthRequestGroups = HTTPField.Name("X-Auth-Request-Groups")!
    // swift-format-ignore: NeverForceUnwrap
    static let xAuthRequestAccessToken = HTTPField.Name("X-Auth-Request-Access-Token")!
}
