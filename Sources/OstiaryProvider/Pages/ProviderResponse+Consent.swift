import HTTPTypes

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

extension ClientPages {
    /// The links of the consent page.
    var links: [ConsentPage.Link] {
        let pages: [(PageText, ClientURI?)] = [(.homePage, home), (.privacyPolicy, policy), (.terms, terms)]
        return pages.compactMap { label, uri in
            uri.map { ConsentPage.Link(label: label.english, url: $0.text) }
        }
    }
}
