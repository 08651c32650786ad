import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A page of the listener that posts an end-session request, so that its ID token is in no URL
/// (OpenID Connect RP-Initiated Logout section 2).
struct LoopbackForm {
    private let action: String
    private let fields: Parameters

    /// Splits an end-session URL; `nil` for a URL without `id_token_hint`.
    ///
    /// The form posts the parameters of the request. The parameters of the endpoint's own URL stay in the query.
    init?(_ url: URL) {
        guard let parts = URIParts(url), let found = FormURLEncoding.decode(parts.query ?? ""),
            found[.idTokenHint] != nil
        else { return nil }
        var kept = Parameters()
        var posted = Parameters()
        for pair in found.pairs {
            if Self.posted.contains(pair.name) {
                posted.append(pair.value, for: pair.name)
            } else {
                kept.append(pair.value, for: pair.name)
            }
        }
        let query = kept.pairs.isEmpty ? "" : "?" + FormURLEncoding.encode(kept)
        action = url.absoluteString.prefix { $0 != "?" && $0 != "#" } + query
        fields = posted
    }

    private static let posted: Set<Parameters.Name> = [.clientID, .idTokenHint, .postLogoutRedirectURI, .state]

    /// The page: its script posts the form at once, or the user presses its button if no script runs.
    var response: [UInt8] {
        let inputs = fields.pairs.map { pair in
            "<input type=\"hidden\" name=\"\(LoopbackPage.escaped(pair.name.rawValue))\" "
                + "value=\"\(LoopbackPage.escaped(pair.value))\">"
        }
        let body = """
            <form method="post" action="\(LoopbackPage.escaped(action))">\(inputs.joined())\
            <button>Continue to sign out</button></form><script>\(Self.script)</script>
            """
        return LoopbackPage.page(title: "Sign out", body: body, script: Self.script)
    }

    private static let script = "document.forms[0].submit()"
}
