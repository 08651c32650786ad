import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one-time values of a recorded sign-in, and the exchanges that contain them.
struct RecordedSignIn {
    /// The index of the authorization request; `nil` where the browser's requests were not recorded.
    var page: Int?
    /// The index of the exchange that redirects to the client.
    var redirect: Int?
    var state: String?
    var nonce: String?
    var verifier: String?
    /// The redirect URI of the authorization request.
    var redirectURI: String?
    private var code: String?

    /// The words that the client's random source must return for `state`, `nonce` and `code_verifier`, in this order.
    var words: [[UInt64]?] { [state, nonce, verifier].map { $0.flatMap(Self.words) } }

    /// Decodes a value into the 32 random octets that the client made it from.
    private static func words(_ value: String) -> [UInt64]? {
        guard let bytes = try? Base64URL.decode(value), bytes.count == 32 else { return nil }
        return stride(from: 0, to: 32, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
    }

    /// Finds the sign-ins of a recording, in order.
    static func all(in exchanges: [Recording.Exchange]) -> [RecordedSignIn] {
        var all: [RecordedSignIn] = []
        var pushed: [String: Parameters] = [:]
        for (index, exchange) in exchanges.enumerated() {
            let form = exchange.request.form
            if exchange.method == .post, let requestURI = exchange.answered?["request_uri"]?.string {
                pushed[requestURI] = form
            }
            // A server comes back to its authorization endpoint after the pages between, with the same state.
            if let request = exchange.authorizationRequest(pushed: pushed),
                request["state"] == nil || all.last?.redirect != nil || all.last?.state != request["state"]
            {
                var signIn = RecordedSignIn()
                signIn.page = index
                signIn.state = request["state"]
                signIn.nonce = request["nonce"]
                signIn.redirectURI = request["redirect_uri"]
                all.append(signIn)
            }
            if let redirect = exchange.redirect, let answer = FormURLEncoding.decode(redirect.query ?? ""),
                answer["code"] != nil || answer["error"] != nil
            {
                if all.last.map({ $0.redirect == nil && $0.awaits(redirect) }) != true { all.append(RecordedSignIn()) }
                let last = all.count - 1
                all[last].redirect = index
                all[last].code = answer["code"]
                // Without an authorization request the redirect is the only place that names it.
                if all[last].page == nil {
                    all[last].state = answer["state"]
                    let request = pushed.values.first { $0["state"] == answer["state"] }
                    all[last].nonce = request?["nonce"]
                }
            }
            if form["grant_type"] == "authorization_code",
                let place = all.lastIndex(where: { $0.code == form["code"] }) ?? all.indices.last
            {
                all[place].verifier = form["code_verifier"] ?? all[place].verifier
                all[place].nonce = all[place].nonce ?? exchange.answered?.nonce
            }
        }
        return all
    }

    /// Whether only the redirect was recorded, and an unused exchange with it comes before another exchange.
    func isBare(in open: [Int], before index: Int) -> Bool {
        guard page == nil, let redirect, redirect < index else { return false }
        return open.contains(redirect)
    }

    /// Whether a redirect goes to the redirect URI of the authorization request.
    private func awaits(_ redirect: URIParts) -> Bool {
        redirectURI.flatMap { URIParts($0) }.map { redirect.goes(to: $0) } ?? true
    }
}

extension Recording.Exchange {
    /// The JSON object of a successful response.
    var answered: JSONObject? {
        guard let response, response.status.kind == .successful else { return nil }
        return try? JSONObject(parsing: response.body)
    }

    /// The URI that the response redirects to.
    var redirect: URIParts? {
        guard let response, response.status.kind == .redirection else { return nil }
        return response.fields[.location].flatMap { URIParts($0) }
    }

    /// The parameters of an authorization request, pushed ones included; `nil` for any other request.
    fileprivate func authorizationRequest(pushed: [String: Parameters]) -> Parameters? {
        guard method == .get, let parameters = FormURLEncoding.decode(URIParts(url)?.query ?? "") else { return nil }
        if let requestURI = parameters["request_uri"] { return pushed[requestURI] ?? parameters }
        return parameters["response_type"] != nil && parameters["client_id"] != nil ? parameters : nil
    }

    /// Whether a user agent sent the request, to present the response to the user.
    var isPage: Bool { isBrowser || request.fields[.accept]?.contains("text/html") == true }
}

extension JSONObject {
    /// The nonce of the ID token among these members, without any check.
    fileprivate var nonce: String? {
        guard let token = self["id_token"]?.string else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(parts[1]) else { return nil }
        return (try? JSONObject(parsing: bytes))?["nonce"]?.string
    }
}

extension URIParts {
    /// Whether this URI matches a redirect URI; the port of a loopback address is ignored (RFC 8252 section 7.3).
    func goes(to redirectURI: URIParts) -> Bool {
        let isLoopback = redirectURI.authority?.isLoopback == true
        return scheme == redirectURI.scheme && authority?.host == redirectURI.authority?.host
            && path == redirectURI.path && (isLoopback || effectivePort == redirectURI.effectivePort)
    }
}
