import HTTPTypes
import OstiaryOAuth

extension ProviderResponse {
    /// The consent page, whose policy allows images of the logo's origin besides the provider's.
    static func consent(_ page: ConsentPage, logo: ClientURI?) -> ProviderResponse {
        var response = ProviderResponse.page(.consent(page))
        guard let logo, let policy = response.fields[.contentSecurityPolicy] else { return response }
        let parts = policy.split(separator: "; ").map { part in
            part.hasPrefix("img-src ") ? "\(part) \(logo.origin)" : String(part)
        }
        response.fields[.contentSecurityPolicy] = parts.joined(separator: "; ")
        return response
    }
}

extension ConsentPage.ScopeLine {
    /// The line of a scope.
    init(_ scope: ProviderScope) {
        self.init(scope: scope.scope.rawValue, sentence: scope.sentence, text: scope.text)
    }

    /// The line of a resource.
    init(_ resource: ProviderResource) {
        let text = PageText.useAtResource
        let sentence = text.text(in: .english, resource.name)
        self.init(scope: resource.identifier, sentence: sentence, text: text, name: resource.name)
    }
}

extension ClientPages {
    /// The links of the consent page.
    var links: [ConsentPage.Link] {
        let pages: [(PageText, ClientURI?)] = [(.homePage, home), (.privacyPolicy, policy), (.terms, terms)]
        return pages.compactMap { label, uri in
            uri.map { ConsentPage.Link(label: label.english, url: $0.text) }
        }
    }
}
