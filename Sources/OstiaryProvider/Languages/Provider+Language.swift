import HTTPTypes
import OstiaryOAuth

extension Provider {
    /// Puts a page into the user's language, where the provider has several.
    func localize(_ response: inout ProviderResponse, to request: ProviderRequest) async {
        guard configuration.languages != [.english], case .page(let page) = response.content else { return }
        let language = await language(of: page, request)
        response.content = .page(page.localized(in: language))
        response.fields[.contentLanguage] = language.rawValue
    }

    /// The language of a page: the first of `ui_locales` that the provider has, or else of `Accept-Language`, or else
    /// the provider's first one.
    private func language(of page: Page, _ request: ProviderRequest) async -> PageLanguage {
        if case .front = page { return .english }
        let languages = configuration.languages
        if let locales = await locales(for: page, request),
            let language = PageLanguage.first(ofLocales: locales, among: languages)
        {
            return language
        }
        let field = request.fields[.acceptLanguage] ?? ""
        return PageLanguage.first(ofField: field, among: languages) ?? languages.first ?? .english
    }

    /// The `ui_locales` of the request that a page belongs to: that of its interaction, or else its own.
    private func locales(for page: Page, _ request: ProviderRequest) async -> String? {
        let sent = request.method == .post ? request.formParameters : request.queryParameters
        let name = Parameters.Name(rawValue: PageInput.interaction)
        if let id = page.form?.hiddenFields.first(where: { $0.name == PageInput.interaction })?.value ?? sent?[name],
            let record = try? await storage.record(.interaction, SecretDigest(id).text),
            let locales = Interaction(record)?.parameters[.uiLocales]
        {
            return locales
        }
        return sent?[.uiLocales]
    }
}
