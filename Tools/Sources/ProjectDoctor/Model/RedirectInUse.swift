import OstiaryOAuth

/// A redirect URI that the app signs in or out with, and where that is known from.
package struct RedirectInUse: Sendable, Hashable {
    package let text: String
    /// The line of the source; without a file when it was given.
    package let place: Finding.Place
    /// Its scheme as written, up to the first colon.
    let scheme: String
    /// The part after the colon.
    let rest: String

    package init(_ text: String, at place: Finding.Place = Finding.Place(key: "--redirect-uri")) {
        self.text = text
        self.place = place
        scheme = String(text.prefix { $0 != ":" })
        rest = String(text.dropFirst(scheme.count + 1))
    }

    var isHTTPS: Bool { scheme.lowercased() == "https" }
    var isHTTP: Bool { scheme.lowercased() == "http" }
    var isCustom: Bool { !isHTTPS && !isHTTP && text.contains(":") }
    var isLoopback: Bool { (try? RedirectURI(text))?.isLoopback ?? false }

    /// The host in lower case; empty when it has none.
    var host: String {
        guard rest.hasPrefix("//") else { return "" }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        return (authority.split(separator: "@").last ?? authority).prefix { $0 != ":" }.lowercased()
    }

    /// The path, `/` when it is empty.
    var path: String {
        let afterHost = rest.hasPrefix("//") ? rest.dropFirst(2).drop { !"/?#".contains($0) } : rest[...]
        let path = afterHost.prefix { $0 != "?" && $0 != "#" }
        return path.isEmpty ? "/" : String(path)
    }

    /// The query without its question mark; empty when it is missing.
    var query: String {
        let tail = rest.drop { $0 != "?" && $0 != "#" }
        return tail.hasPrefix("?") ? String(tail.dropFirst().prefix { $0 != "#" }) : ""
    }

    /// The URI without possible secrets: a user name, a password, a value that is named as one.
    package var shown: String {
        guard rest.hasPrefix("//") || rest.contains("?") else { return text }
        var shown = rest
        let authorityEnd = shown.dropFirst(2).firstIndex { "/?#".contains($0) } ?? shown.endIndex
        if shown.hasPrefix("//"), let at = shown[..<authorityEnd].lastIndex(of: "@") {
            shown.replaceSubrange(shown.index(shown.startIndex, offsetBy: 2)..<at, with: "[redacted]")
        }
        guard let mark = shown.firstIndex(of: "?") else { return scheme + ":" + shown }
        let items = shown[shown.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map {
            item in
            let name = item.prefix { $0 != "=" }
            let isSecret = ["secret", "token", "password", "key", "code"].contains(where: name.lowercased().contains)
            return isSecret ? name + "=[redacted]" : item
        }
        return scheme + ":" + shown[...mark] + items.joined(separator: "&")
    }

    /// Whether a name in the code is that of a redirect URI, a callback or the URI after a sign-out.
    static func isName(_ name: String) -> Bool {
        let name = name.lowercased().filter { $0 != "_" }
        return ["redirecturi", "redirecturl", "callbackuri", "callbackurl"].contains { name.hasSuffix($0) }
            || ["redirecturis", "redirecturls"].contains { name.hasSuffix($0) }
    }
}

extension SwiftSource {
    /// The redirect URIs that the code names as such; those that are put together as the app runs are `uncertain`.
    var redirects: (certain: [RedirectInUse], uncertain: [Finding.Place]) {
        var certain: [RedirectInUse] = []
        var uncertain: [Finding.Place] = []
        for literal in literals {
            guard literal.isInterpolated || literal.text.contains(":"), literal.text.utf8.count <= 2_048,
                !literal.text.contains("\n"),
                let name = name(of: literal), RedirectInUse.isName(name)
            else { continue }
            let place = Finding.Place(file: path, line: literal.line, key: name)
            if literal.isInterpolated {
                uncertain.append(place)
            } else {
                certain.append(RedirectInUse(literal.text, at: place))
            }
        }
        return (certain, uncertain)
    }
}
