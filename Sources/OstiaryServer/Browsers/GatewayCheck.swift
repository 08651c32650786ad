public import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint that a proxy asks before it passes a request on to an application: `auth_request` of nginx, `forward_auth` of
/// Caddy, ForwardAuth of Traefik.
///
/// A browser with a session is answered 200 with the user's name in fields that the proxy copies:
///
/// | Field | Value |
/// |---|---|
/// | `X-Auth-Request-User` | the subject (`sub`) |
/// | `X-Auth-Request-Preferred-Username` | `preferred_username` |
/// | `X-Auth-Request-Email` | `email`, if the issuer has verified it |
/// | `X-Auth-Request-Groups` | the groups, separated by commas |
/// | `X-Auth-Request-Access-Token` | the access token, only where it is configured |
///
/// All of them are always there, empty ones too, so that a proxy replaces what a client wrote; this service never reads
/// them. Bytes outside of visible ASCII, `%`, a space at an end, and a comma in a group's name are written as `%` and two
/// hexadecimal digits: no name can look like another one, or like two.
///
/// Without a session the answer is 401, or a redirect to the sign-in, and 403 for a user outside of the groups.
public struct GatewayCheck: ServerEndpoint {
    /// The answer to a browser without a session that loads a page.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        /// 401: the proxy shows the sign-in itself, as nginx does with `error_page`.
        case unauthorized
        /// A redirect to the sign-in: the proxy passes the answer on, as Caddy and Traefik do.
        case redirect
    }

    private let browser: BrowserSignIn
    private let refusal: Refusal
    private let groupsClaim: String
    private let groups: Set<String>?
    private let acceptsUnverifiedEmail: Bool
    private let passesAccessToken: Bool

    /// Makes a gateway's check.
    ///
    /// - Parameters:
    ///   - browser: The sign-in. Its cookies have to be `lax`.
    ///   - refusal: The answer to a browser without a session that loads a page; scripts get 401. Default: 401.
    ///   - groupsClaim: The claim of the ID token with the groups, an array of strings. Default: `groups`.
    ///   - groups: The groups of which a user has to be in one; others get 403. Default: every user is let in.
    ///   - acceptsUnverifiedEmail: Whether an address is passed on that the issuer does not call verified. Anybody may enter
    ///     another's address at some issuers. Default: it is not.
    ///   - passesAccessToken: Whether the application gets the access token. Default: it does not.
    /// - Throws: `configuration` at stage `authorization` for cookies that are `strict`: the page after a sign-in would lead
    ///   to the sign-in again.
    public init(
        _ browser: BrowserSignIn,
        refusal: Refusal = .unauthorized,
        groupsClaim: String = "groups",
        admitting groups: Set<String>? = nil,
        acceptsUnverifiedEmail: Bool = false,
        passesAccessToken: Bool = false
    ) throws(SignInError) {
        guard browser.cookies.sameSite == .lax else {
            throw SignInError(
                .authorization,
                .configuration(
                    "A gateway needs cookies that are lax: strict ones are missing on the page that follows the sign-in."
                )
            )
        }
        self.browser = browser
        self.refusal = refusal
        self.groupsClaim = groupsClaim
        self.groups = groups
        self.acceptsUnverifiedEmail = acceptsUnverifiedEmail
        self.passesAccessToken = passesAccessToken
    }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None: it is not for the request's body.
    public var maximumBodyBytes: Int { 0 }

    /// Answers the proxy.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let methods = request.fields[values: .xForwardedMethod]
        guard methods.count == 1, let method = methods.first.flatMap({ HTTPRequest.Method(rawValue: $0) })
        else {
            return Self.denied(
                "gateway_method",
                "The proxy does not say the request's method: have it set X-Forwarded-Method.",
                .operator
            )
        }
        let isOwn = browser.pages.admitsVisit(request.fields, isSafe: method.isSafe)
        guard NamedCheck.holds("gateway.origin", isOwn) else {
            return Self.denied("browser_origin", "A page of another origin sent this request.")
        }
        do throws(BrowserRefusal) {
            return await admission(of: try await browser.known(request.fields))
        } catch {
            guard error.response.status == .unauthorized, refusal == .redirect, method.isSafe,
                Self.isPage(request.fields)
            else { return error.response }
            var place = Parameters()
            place["return_to"] = request.fields[.xForwardedURI].flatMap {
                ReturnAddress($0, pages: browser.pages)?.text
            }
            let query = place.names.isEmpty ? "" : "?" + FormURLEncoding.encode(place)
            var response = error.response
            response.status = .found
            response.fields[.location] = browser.loginPath + query
            response.fields[.wwwAuthenticate] = nil
            return response
        }
    }

    /// Whether a user waits for a page, and not a script for data.
    private static func isPage(_ fields: HTTPFields) -> Bool {
        if let mode = fields[.secFetchMode] { return mode == "navigate" }
        return fields[values: .accept].contains { $0.lowercased().contains("text/html") }
    }

    private static func denied(
        _ name: String,
        _ detail: String,
        _ concern: RefusalReason.Concern = .client
    ) -> ServerResponse {
        .json(["error": "access_denied"], status: .forbidden)
            .because(RefusalReason(name, detail: detail, concern: concern))
    }

    private func admission(of session: ServerSession) async -> ServerResponse {
        let claims: JSONObject
        do throws(StorageFailure) {
            claims = try browser.sessions.claims(of: session)
        } catch {
            return BrowserRefusal(.storeUnavailable(error)).response
        }
        let own = claims[groupsClaim]?.array?.compactMap(\.string) ?? []
        if let groups {
            let isMember = own.contains { name in groups.contains { $0.utf8.elementsEqual(name.utf8) } }
            guard NamedCheck.holds("gateway.groups", isMember) else {
                return Self.denied(
                    "gateway_group",
                    "The user is in none of the groups that are let in; the claim is \(groupsClaim)."
                )
            }
        }
        let names = own.map { FieldText.encoded($0, separator: ",") }.joined(separator: ",")
        guard names.utf8.count <= Self.maximumBytes else {
            return Self.denied(
                "gateway_groups_too_long",
                "The names of the groups take more than \(Self.maximumBytes) bytes: have the issuer send fewer.",
                .operator
            )
        }
        var fields: HTTPFields = [
            .xAuthRequestUser: FieldText.encoded(session.subject),
            .xAuthRequestPreferredUsername: FieldText.encoded(claims["preferred_username"]?.string ?? ""),
            .xAuthRequestEmail: FieldText.encoded(email(in: claims)),
            .xAuthRequestGroups: names,
            .xAuthRequestAccessToken: "",
            .cacheControl: "no-store",
        ]
        if passesAccessToken {
            do throws(SignInError) {
                fields[.xAuthRequestAccessToken] = try await browser.sessions.accessToken(of: session).reveal()
            } catch {
                guard !error.endsBrowserSession else { return BrowserRefusal(.ended).response }
                return .json(
                    ["error": "temporarily_unavailable"],
                    status: .serviceUnavailable,
                    fields: [.retryAfter: String(Int(max(1, min(error.retryAfter ?? 1, 3600)).rounded(.up)))]
                )
                .because(RefusalReason(error))
            }
        }
        return ServerResponse(status: .ok, fields: fields)
    }

    /// The largest value of the groups' field, in bytes: proxies read a response's head into a few KiB.
    private static let maximumBytes = 2048

    private func email(in claims: JSONObject) -> String {
        guard let email = claims["email"]?.string, email.utf8.count <= 320 else { return "" }
        let isVerified = claims["email_verified"]?.bool == true
        return NamedCheck.holds("gateway.email", isVerified || acceptsUnverifiedEmail) ? email : ""
    }
}

/// A text of an issuer's as the value of a header field.
enum FieldText {
    /// Writes what is no visible ASCII, `%`, a separator, and a space at an end as `%` and two hexadecimal digits.
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

extension SignInError {
    /// Whether the session is over, so that the browser has to sign in again.
    fileprivate var endsBrowserSession: Bool {
        switch reason {
        case .signInRequired: true
        case .refused(let refusal): refusal.endsSession
        default: false
        }
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there are names for them. They are the names that oauth2-proxy uses.
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
