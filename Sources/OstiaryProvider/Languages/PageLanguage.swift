/// A language of the pages; the raw value is its tag (RFC 5646).
public enum PageLanguage: String, Sendable, Hashable, CaseIterable {
    /// English.
    case english = "en"
    /// German.
    case german = "de"
    /// French.
    case french = "fr"
    /// Spanish.
    case spanish = "es"
    /// Japanese.
    case japanese = "ja"

    /// The largest number of preferences that are read.
    private static let maximumPreferences = 32

    /// Returns the first language of a user's preferences that the provider has.
    ///
    /// - Parameters:
    ///   - locales: The value of `ui_locales`: language tags, the best first. (OpenID Connect Core section 3.1.2.1)
    ///   - languages: The languages of the provider.
    /// - Returns: The language; `nil` for none.
    static func first(ofLocales locales: String, among languages: [PageLanguage]) -> PageLanguage? {
        let tags = locales.split(separator: " ", maxSplits: maximumPreferences)
        return tags.prefix(maximumPreferences).lazy.compactMap { matching($0, among: languages) }.first
    }

    /// The best language of an `Accept-Language` field that the provider has; `nil` for none. (RFC 9110 section 12.5.4)
    static func first(ofField field: String, among languages: [PageLanguage]) -> PageLanguage? {
        var best: (language: PageLanguage, weight: Double)?
        for range in field.split(separator: ",", maxSplits: maximumPreferences).prefix(maximumPreferences) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
            let weight = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            let language = tag == "*" ? languages.first : matching(tag[...], among: languages)
            // Of two languages with one weight the first is taken; the user rejects one with weight 0.
            guard let language, weight > best?.weight ?? 0 else { continue }
            best = (language, weight)
        }
        return best?.language
    }

    /// The language of a tag, by its first part: `de-AT` is German (RFC 4647 section 3.4).
    private static func matching(_ tag: Substring, among languages: [PageLanguage]) -> PageLanguage? {
        let primary = tag.prefix { $0 != "-" }.lowercased()
        return languages.first { $0.rawValue == primary }
    }
}
