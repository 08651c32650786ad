import Crypto
import Foundation

/// The page that ends the browser's part, and the short replies to everything else.
///
/// The last page runs no script. It does not report a success, because the answer is still unchecked.
struct LoopbackPage {
    let appName: String

    var response: [UInt8] {
        let name = Self.escaped(appName)
        return Self.page(
            title: "Return to \(name)",
            body: "<h1>Return to \(name)</h1><p>You can close this window.</p>"
        )
    }

    /// A page of the listener.
    ///
    /// - Parameters:
    ///   - title: Escaped text.
    ///   - body: Markup with every text in it escaped.
    ///   - script: The one script that may run; `nil` for none.
    /// - Returns: The page in UTF-8, with its head.
    static func page(title: String, body: String, script: String? = nil) -> [UInt8] {
        // A page's form goes to the provider, and its redirects continue from there.
        let allowances = script.map { "script-src 'sha256-\(hash(of: $0))'" } ?? "form-action 'none'"
        return response(
            status: "200 OK",
            fields: [
                "Content-Type: text/html; charset=utf-8",
                "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(hash(of: style))'; "
                    + "\(allowances); base-uri 'none'; frame-ancestors 'none'",
            ],
            body: """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width,initial-scale=1">
                <title>\(title)</title>
                <style>\(style)</style>
                </head>
                <body><main>\(body)</main></body>
                </html>

                """
        )
    }

    /// The reply to a redirect that answers another sign-in, such as one in an older window.
    static func otherSignIn(appName: String) -> [UInt8] {
        response(
            status: "400 Bad Request",
            fields: ["Content-Type: text/plain; charset=utf-8", "Content-Security-Policy: default-src 'none'"],
            body:
                "This is not the answer to the sign-in that \(appName) is waiting for. Close this window, and go on in the "
                + "newest sign-in page.\n"
        )
    }

    /// The reply to a browser that another user of this machine runs, as with `sudo -u`.
    static func ofAnotherUser(appName: String) -> [UInt8] {
        response(
            status: "403 Forbidden",
            fields: ["Content-Type: text/plain; charset=utf-8", "Content-Security-Policy: default-src 'none'"],
            body:
                "\(appName) waits for a browser of the user who started it, and this browser runs as another user of this "
                + "computer. Open the sign-in page as the user who started \(appName), or start \(appName) as this user.\n"
        )
    }

    private static func hash(of text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }

    /// Returns a reply that consists of a status.
    static func status(_ status: String, fields: [String] = []) -> [UInt8] {
        response(
            status: status,
            fields: ["Content-Type: text/plain; charset=utf-8", "Content-Security-Policy: default-src 'none'"] + fields,
            body: status.dropFirst(4) + "\n"
        )
    }

    private static func response(status: String, fields: [String], body: String) -> [UInt8] {
        let head =
            [
                "HTTP/1.1 \(status)",
                "Content-Length: \(body.utf8.count)",
                "Connection: close",
                "Cache-Control: no-store",
                "Referrer-Policy: no-referrer",
                "X-Content-Type-Options: nosniff",
            ] + fields
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static let style = """
        :root{color-scheme:light dark;font:1.125rem/1.6 system-ui,sans-serif}\
        body{margin:0;min-height:100vh;display:grid;place-items:center}\
        main{padding:2rem;text-align:center}h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0;opacity:.75}
        """

    /// Escapes text for markup.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        // Scalars and not characters: to Swift, a quotation mark with a combining accent is another character.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
