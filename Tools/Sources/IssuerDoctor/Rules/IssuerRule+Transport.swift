import Foundation
import HTTPTypes
import OstiaryOAuth

/// Rules about the transport: TLS, redirects, statuses, media types and caching.
extension IssuerRule {
    static let transport: [IssuerRule] = [
        issuerHTTPS, metadataRedirect, metadataFound, metadataMediaType, metadataCache, keysCache, strictTransport,
    ]

    private static let issuerHTTPS = IssuerRule(
        "issuer-https",
        .transport,
        .note,
        "The issuer uses https",
        source: "RFC 8414 section 2",
        fix: "Serve the issuer over https before anyone else uses it."
    ) { answers in
        answers.isLocal
            ? [Fault("The issuer uses http, which is for this machine only.", now: answers.issuer.description)] : []
    }

    private static let metadataRedirect = IssuerRule(
        "metadata-redirect",
        .transport,
        .error,
        "The metadata is served without a redirect",
        source: "RFC 8414 section 3.2",
        fix: "Serve the document with status 200 at that URL."
    ) { answers in
        guard answers.readable.isEmpty else { return [] }
        return answers.documents.filter(\.isRedirected).map {
            Fault("The URL of the metadata redirects, which clients do not follow.", now: $0.url)
        }
    }

    private static let metadataFound = IssuerRule(
        "metadata-found",
        .transport,
        .error,
        "Metadata is served with status 200",
        source: "RFC 8414 section 3; OpenID Connect Discovery section 4",
        fix: "Serve the metadata at one of the two URLs, and check the issuer's spelling and path."
    ) { answers in
        guard !answers.documents.contains(where: { $0.members != nil || $0.isRedirected }) else { return [] }
        return answers.documents.map { document in
            let reason =
                switch document.answer {
                case .success(let response): "status \(response.status.code)"
                case .failure(let failure): failure.rawValue
                }
            return Fault("No metadata is found here.", now: "\(document.url): \(reason)")
        }
    }

    private static let metadataMediaType = IssuerRule(
        "metadata-media-type",
        .transport,
        .error,
        "The metadata is served as application/json",
        source: "RFC 8414 section 3.2",
        fix: "Send the field Content-Type: application/json."
    ) { answers in
        guard answers.readable.isEmpty else { return [] }
        let found = answers.documents.filter { $0.members != nil }
        guard !found.isEmpty else { return nil }
        return found.compactMap { document in
            let mediaType = document.response?.mediaType ?? ""
            guard mediaType != "application/json", mediaType != "text/json", !mediaType.hasSuffix("+json") else {
                return nil
            }
            return Fault("\(document.url) is not served as JSON.", now: document.response?.fields[.contentType])
        }
    }

    private static let metadataCache = IssuerRule(
        "metadata-cache",
        .transport,
        .note,
        "The metadata may be cached",
        source: "RFC 9111 section 5.2.2",
        fix: "Send the field Cache-Control: max-age=3600."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.readable.filter { $0.response?.forbidsCaching ?? false }.map {
            Fault(
                "\($0.url) may not be cached, so each start of a client requests it again.",
                now: $0.response?.fields[.cacheControl]
            )
        }
    }

    private static let keysCache = IssuerRule(
        "keys-cache",
        .transport,
        .note,
        "The key set may be cached, for a day at most",
        source: "Advice of this project; RFC 9111 section 5.2.2",
        fix: "Send the field Cache-Control: max-age=3600."
    ) { answers in
        guard let response = try? answers.keySet?.get(), response.status == .ok else { return nil }
        let field = response.fields[.cacheControl]
        if response.forbidsCaching {
            return [Fault("The key set may not be cached, so verifiers request it for each token.", now: field)]
        }
        guard let age = response.maximumAge, age > 86_400 else { return [] }
        return [
            Fault("The key set may be cached for \(age) seconds: a withdrawn key is trusted until then.", now: field)
        ]
    }

    private static let strictTransport = IssuerRule(
        "strict-transport",
        .transport,
        .note,
        "The metadata is served with Strict-Transport-Security",
        source: "RFC 6797 section 7.1",
        fix: "Send the field Strict-Transport-Security: max-age=31536000 from every page of the host."
    ) { answers in
        guard !answers.isOnLoopback, let document = answers.readable.first, let response = document.response,
            let name = HTTPField.Name("Strict-Transport-Security")
        else { return nil }
        return response.fields[name] == nil
            ? [Fault("A browser that is sent to http://\(answers.issuer.url.host() ?? "") first can be kept there.")]
            : []
    }
}

extension IssuerAnswers.Document {
    /// Whether the server answered with a redirect.
    fileprivate var isRedirected: Bool {
        switch answer {
        case .failure(.redirectRefused): true
        case .success(let response): (300..<400).contains(response.status.code)
        case .failure: false
        }
    }
}

extension EndpointResponse {
    private var cacheDirectives: [String] {
        (fields[.cacheControl] ?? "").lowercased().split(separator: ",").map {
            $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
    }

    /// Whether a cache may not store the response.
    fileprivate var forbidsCaching: Bool { cacheDirectives.contains("no-store") }

    /// The seconds for which a cache may reuse the response; `nil` when the field does not say.
    fileprivate var maximumAge: Int? {
        cacheDirectives.lazy.filter { $0.hasPrefix("max-age=") }.compactMap { Int($0.dropFirst(8)) }.first
    }
}
