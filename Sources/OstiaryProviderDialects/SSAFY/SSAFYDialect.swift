import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The dialect of SSAFY Verify: a hosted page, a code for a partner's backend, and a verification token for that
/// backend.
///
/// The authorization request has no `response_type` and no `nonce`. The token request has a grant type of its own and
/// no `redirect_uri`. Errors are objects with a code and a number for support. There is no discovery, no user info, no
/// refresh and no sign-out. Below `/v1` lies the server API for a partner's backend. The page has a name and a password
/// where the service sends a code by Mattermost.
public final class SSAFYDialect: Dialect {
    /// The assurance of a verification, the only one that a backend accepts.
    public static let assurance = "urn:ssafy:verify:assurance:mattermost-team-dm:v1"

    /// Changes the claims of a verification token before it is signed, for the tests of backends.
    private let change: @Sendable (inout JSONObject) -> Void
    let throttle: SSAFYThrottle
    let calls: SSAFYThrottle
    /// The scopes of confidential clients at the server API.
    let serverScopes: Set<Scope>
    let server = Lock(SSAFYServerState())

    /// Everything that the server API can do.
    public static let allServerScopes: Set<Scope> = [
        "ssafy.profile.read", "ssafy.profile.sync", "ssafy.directory.lookup", "ssafy.notify.mattermost.send",
        "ssafy.notify.mattermost.status",
    ]

    /// Makes the dialect.
    ///
    /// - Parameters:
    ///   - tokenRequestsPerMinute: The number of token requests that one client may send in a minute.
    ///   - serverCallsPerMinute: The number of server API calls that one client may send in a minute.
    ///   - serverScopes: The scopes of confidential clients at the server API. Default: all of them.
    ///   - changingClaims: Changes the claims of each verification token before it is signed, for the tests of
    ///     backends.
    public init(
        tokenRequestsPerMinute: Int = 60,
        serverCallsPerMinute: Int = 600,
        serverScopes: Set<Scope> = allServerScopes,
        changingClaims: @escaping @Sendable (inout JSONObject) -> Void = { _ in }
    ) {
        throttle = SSAFYThrottle(limit: tokenRequestsPerMinute)
        calls = SSAFYThrottle(limit: serverCallsPerMinute)
        self.serverScopes = serverScopes
        change = changingClaims
    }

    /// `ssafy`.
    public var name: String { "ssafy" }

    /// The hosted pages and the keys lie below `/verify`; endpoints that the service lacks have no path.
    public func path(of route: Route) -> String? {
        switch route {
        case .authorization: "/verify/authorize"
        case .login: "/verify/login"
        case .accounts: "/verify/accounts"
        case .oneTimePassword: "/verify/one-time-password"
        case .consent: "/verify/consent"
        case .keySet: "/verify/jwks"
        default: ""
        }
    }

    /// Responds to token requests and the server API, and rejects authorization requests that the service would reject.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
        let api = provider.path(below: "/v1/")
        if request.path.hasPrefix(api) {
            let path = request.path.dropFirst(api.count).split(separator: "/", omittingEmptySubsequences: false)
            // A segment that cannot be read names nothing.
            let segments = path.map { $0.contains("+") ? "" : FormURLEncoding.unescape(String($0)) ?? "" }
            return await SSAFYServerCall.answer(segments, request, at: provider, self)
        }
        if request.path == provider.path(below: "/verify/token") { return try await redeem(request, at: provider) }
        if request.path == provider.path(below: "/verify/authorize") { try await check(request, at: provider) }
        return nil
    }

    /// Adds the `response_type` that the strict provider wants and the service does not.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {
        parameters[.responseType] = "code"
    }

    /// Gives an error that goes back to the app the service's own members.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {
        guard response.status == .seeOther, let location = response.fields[.location],
            let mark = location.firstIndex(of: "?"),
            var parameters = FormURLEncoding.decode(location[location.index(after: mark)...]),
            let error = parameters[.error], parameters["error_code"] == nil
        else { return }
        let code: SSAFYCode =
            switch error {
            // The sign-in page is left, the consent page is answered with no.
            case "access_denied": request.path == provider.path(below: "/verify/consent") ? .consentDenied : .cancelled
            default: .invalidRequest
            }
        parameters["error_code"] = code.rawValue
        parameters["request_id"] = provider.random.identifier()
        parameters["message"] = code.message
        parameters[.errorDescription] = nil
        response.fields[.location] = "\(location[...mark])\(FormURLEncoding.encode(parameters))"
    }

    /// Rejects unapproved scopes, and parameters that the strict provider accepts and the service does not have.
    private func check(_ request: ProviderRequest, at provider: Provider) async throws {
        guard request.method == .get, let sent = request.queryParameters else { return }
        var parameters = sent
        if parameters[.responseType] == nil { parameters[.responseType] = "code" }
        let checked = try await CheckedAuthorization(parameters, at: provider)
        let asked = Scope.list(sent[.scope] ?? "")
        let isApproved = asked.contains("ssafy.verify") && asked.allSatisfy(checked.client.allowedScopes.contains)
        let isPlain = [.responseType, .nonce, .prompt, .maxAge, .loginHint, .responseMode].allSatisfy {
            sent[$0] == nil
        }
        guard isApproved, isPlain else {
            throw Refusal.redirect(OAuthError(code: isPlain ? .invalidScope : .invalidRequest), checked.address)
        }
    }

    /// Redeems a code for a verification token.
    private func redeem(_ request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse {
        do throws(SSAFYRefusal) {
            let redemption = try await SSAFYRedemption(request, at: provider, throttle: throttle)
            var claims = redemption.claims
            change(&claims)
            return try await redemption.response(with: claims)
        } catch {
            return error.response(requestID: provider.random.identifier())
        }
    }
}
