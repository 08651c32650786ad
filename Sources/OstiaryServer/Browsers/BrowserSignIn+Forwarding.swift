import HTTPTypes

extension BrowserSignIn {
    /// The response of an API as a browser gets it from the app's own origin.
    ///
    /// - Only the browser's own cache may store it: the API received `Authorization`, which keeps shared caches from
    ///   storing its response, and the browser's request has only a cookie, which does not (RFC 9111 section 3.5).
    /// - A page in the API's content is displayed in a sandbox, and no other content is treated as a page: a script in
    ///   it would run with the rights of the app.
    ///
    /// - Parameter response: The API's response, with its `Cache-Control`, `Vary` and `Content-Security-Policy`, if
    ///   there are any.
    /// - Returns: The response for the browser.
    public static func contained(_ response: ServerResponse) -> ServerResponse {
        var response = response
        response.fields[.cacheControl] = unshared(response.fields[.cacheControl])
        response.fields.append(HTTPField(name: .vary, value: "Cookie"))
        response.fields[.xContentTypeOptions] = "nosniff"
        // Several policies apply together.
        response.fields.append(HTTPField(name: .contentSecurityPolicy, value: "sandbox; default-src 'none'"))
        return response
    }

    private static func unshared(_ cacheControl: String?) -> String {
        // A quoted value may have commas.
        guard let cacheControl, !cacheControl.contains("\"") else { return "no-store" }
        let kept = cacheControl.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { !["", "public", "private", "s-maxage"].contains($0.prefix { $0 != "=" }.lowercased()) }
        return (["private"] + kept).joined(separator: ", ")
    }
}
