import Crypto
import Foundation

/// The page that ends the browser's part, and the short replies to everything else.
///
/// It is static and runs no script; it does not say that the sign-in succeeded, because nobody has looked at the answer
/// when it is shown.
struct LoopbackPage {
    let appName: String

    var response: [UInt8] {
        let hash = Data(SHA256.hash(data: Data(Self.style.utf8))).base64EncodedString()
        return Self.response(
            status: "200 OK",
            fields: [
                "Content-Type: text/html; charset=utf-8",
                "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'",
            ],
            body: page
        )
    }

    /// A reply that is a status and nothing else to read.
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

    private var page: String {
        let name = Self.escaped(appName)
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <title>Return to \(name)</title>
            <style>\(Self.style)</style>
            </head>
            <body><main><h1>Return to \(name)</h1><p>You can close this window.</p></main></body>
            </html>

            """
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}
