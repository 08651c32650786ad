import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The head of an HTTP/1 request (RFC 9112 sections 2 to 5), parsed as strictly as browsers allow.
struct LoopbackRequest {
    enum Failure: Error {
        case malformed
        case version
        case tooManyLines
    }

    let method: String
    let path: String
    let query: String?
    private let fields: [(name: String, value: String)]

    /// Returns the values of a field; its name is in lower case.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Returns the value of a field that occurs once.
    func single(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns the end of the empty line that ends a head; bytes that were searched before are not searched again.
    static func endOfHead(in bytes: [UInt8], from searched: Int) -> Int? {
        var index = max(searched - 3, 0)
        while index + 4 <= bytes.count {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 3] == 0x0A {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    static func parse(_ head: ArraySlice<UInt8>, maximumLines: Int) -> Result<LoopbackRequest, Failure> {
        // No browser sends a line feed alone, a zero or an octet beyond ASCII here.
        let lines = head.dropLast(4).split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count <= maximumLines else { return .failure(.tooManyLines) }
        var texts: [String] = []
        for (number, line) in lines.enumerated() {
            let isLast = number == lines.count - 1
            guard isLast || line.last == 0x0D else { return .failure(.malformed) }
            let content = isLast ? line : line.dropLast()
            guard content.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else { return .failure(.malformed) }
            texts.append(String(decoding: content, as: UTF8.self))
        }
        let words = texts[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"), !texts[0].contains("\t") else {
            return .failure(.malformed)
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return .failure(.version) }
        var fields: [(name: String, value: String)] = []
        for line in texts.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: { $0 == " " || $0 == "\t" }) else {
                return .failure(.malformed)
            }
            let value = parts[1].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { $0 != " " && $0 != "\t" }.map(value.index(after:)) ?? value.startIndex
            fields.append((parts[0].lowercased(), String(value[..<end])))
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return .success(
            LoopbackRequest(
                method: String(words[0]),
                path: String(target[0]),
                query: target.count > 1 ? String(target[1]) : nil,
                fields: fields
            )
        )
    }
}

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
