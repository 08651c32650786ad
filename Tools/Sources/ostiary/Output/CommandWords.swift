import Foundation
import HTTPTypes
import OstiaryOAuth

/// The command's words for an error: they name the host, the values that were compared, and the next step.
///
/// The libraries do not know which host a request was for; the command does.
struct CommandWords {
    let message: String
    /// The next step; `nil` for that of the error's kind.
    let advice: String?

    private init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    /// Returns the words for an error; `nil` where those of the library say it.
    init?(_ error: SignInError) {
        switch error.reason {
        case .cancelled: self.init("Cancelled.")
        case .timedOut where error.stage == .authorization || error.stage == .endSession:
            self.init(
                "Timed out waiting for the browser to come back." + (RejectionCheck.seen.map { " " + $0 } ?? ""),
                // The browser may have had another page than the check.
                advice: Self.registrationAdvice(afterErrorPage: true)
            )
        case .timedOut where error.stage == .device:
            self.init("Timed out before the code was confirmed.", advice: "Run the command again for a new code.")
        case .refused(let refusal) where error.stage == .device && refusal.code == .expiredToken:
            self.init(
                "The code expired before it was confirmed (expired_token).",
                advice: "Run the command again for a new code."
            )
        case .refused(let refusal) where error.stage == .userInfo && refusal.code == .invalidToken:
            self.init(error.message, advice: Self.renewalAdvice)
        case .signInRequired: self.init("The session has ended, or cannot be refreshed.")
        case .transport(let failure):
            guard let place = Self.place(of: failure) else { return nil }
            self = Self.words(failure, at: place)
        case .server(let status) where error.stage == .authorization:
            let reason = error.serverMessage ?? Self.rejectedPage
            self.init(
                "The issuer rejected the sign-in request (\(status))" + (reason.map { ": \($0)" } ?? "."),
                advice: Self.registrationAdvice(afterErrorPage: false)
            )
        case .server(let status):
            guard let failed = LastFailure.current, case .success(let response) = failed.result,
                response.status.code == status
            else { return nil }
            self.init(
                "\(failed.request.url.withoutQuery) answered with status \(status)"
                    + (error.serverMessage.map { ": \($0)" } ?? "."),
                advice: status == 404 && error.stage == .discovery
                    ? "Check --issuer: it is the URL before /.well-known/openid-configuration." : nil
            )
        case .mismatch(.metadataIssuer):
            guard let named = LastFailure.namedIssuer else { return nil }
            self.init(
                "Issuer mismatch: \(named.document) names the issuer \(named.issuer.shortened).",
                advice: "If you trust it, use it exactly: --issuer \(LoginLine.shell([named.issuer.shortened]))"
            )
        case .mismatch(.authenticationContext):
            self.init(
                error.message,
                advice: "Choose a value that the issuer lists as acr_values_supported: ostiary discover --issuer "
                    + (AttemptedSignIn.current.map { LoginLine.shell([$0.issuer.shortened]) } ?? "URL")
            )
        default: return nil
        }
    }

    /// The next step for a token that the server has ended; a front door renews such a token by itself.
    private static var renewalAdvice: String? {
        CommandArguments.begins(with: "userinfo")
            ? "Get a new token: \(CommandArguments.line(of: ["refresh"]))" : nil
    }

    /// The next step when the server does not know the client or its redirect URI.
    static func registrationAdvice(afterErrorPage isSeen: Bool) -> String? {
        guard let client = AttemptedSignIn.current else { return nil }
        return (isSeen ? "If the browser shows an error of the issuer, check" : "Check")
            + " that the client \(client.clientID.shortened) has the redirect URI \(client.redirectURI.shortened) at "
            + "\(client.issuer.shortened)."
    }

    /// The host and port of the failed request.
    private static func place(of failure: TransportFailure) -> URL? {
        guard let failed = LastFailure.current, case .failure(failure) = failed.result else { return nil }
        return failed.request.url
    }

    private static func words(_ failure: TransportFailure, at url: URL) -> CommandWords {
        let host = url.host() ?? url.absoluteString
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        let place = "\(host):\(port)"
        switch failure {
        case .unreachable:
            if let proxy = CommandNetwork.current.proxy(for: url) {
                return CommandWords("Cannot connect to \(place) through the proxy \(proxy.host):\(proxy.port).")
            }
            let reason = ConnectionProblem.reason(host: host, port: port).map { " (\($0))" } ?? ""
            return CommandWords("Cannot connect to \(place)\(reason).")
        case .unknownHost:
            return CommandWords("The name \(host) has no address.", advice: "Check the spelling of the host.")
        case .tls:
            let reason = CertificateProblem.reason(host: host, port: port)
            return CommandWords(
                "TLS failed for \(place): \(reason).",
                advice: reason.contains("not trusted")
                    ? "For the certificate authority of a private network, add: --ca-file FILE" : nil
            )
        case .interrupted: return CommandWords("\(place) closed the connection before its answer was complete.")
        case .timedOut: return CommandWords("\(place) did not answer in time.")
        case .tooLarge: return CommandWords("The answer of \(url.withoutQuery) is larger than its limit.")
        case .redirectRefused: return CommandWords("\(url.withoutQuery) redirects, and redirects are not followed.")
        case .notHTTP: return CommandWords("\(place) does not speak HTTP.")
        case .insecureURL:
            return CommandWords("\(url.withoutQuery) is not https, and not on this machine: nothing was sent.")
        case .invalidRequest, .cancelled: return CommandWords(SignInError(.resource, .transport(failure)).message)
        }
    }

    /// The words of the page with which the issuer rejected the last request; `nil` for another answer.
    private static var rejectedPage: String? {
        guard let failed = LastFailure.current, case .success(let response) = failed.result else { return nil }
        return response.errorPage
    }
}

extension EndpointResponse {
    /// The heading and the first paragraph of an HTML page, in quotation marks; `nil` for another answer.
    var errorPage: String? {
        guard fields[.contentType]?.hasPrefix("text/html") == true else { return nil }
        let page = String(decoding: body.prefix(65_536), as: UTF8.self)
        var parts: [String] = []
        for match in page.matches(of: /<(?<tag>h1|p)(?:\s[^>]*)?>(?<text>[^<]{1,300})</).prefix(2) {
            let text = String(match.output.text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !text.isEmpty { parts.append(text.withoutEntities) }
        }
        return parts.isEmpty ? nil : "\"" + String(parts.joined(separator: ": ").prefix(300)) + "\""
    }
}

extension String {
    /// The text with the five entities that every HTML writer escapes.
    fileprivate var withoutEntities: String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(self) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }
}

extension URL {
    /// The URL up to its query, for a message.
    var withoutQuery: String {
        String(absoluteString.prefix { $0 != "?" && $0 != "#" })
    }
}
