#if canImport(SwiftUI)
    import Foundation

    /// The phrases in one language.
    ///
    /// The tables are read here and not by a view, so that an app without SwiftUI's views has the same texts.
    struct PhraseBook {
        /// The languages of the tables.
        static let languages = ["en", "ko", "zh-Hans", "zh-Hant", "ja", "de"]

        let language: String
        private let table: Bundle?

        /// Opens the book of the user's language and region; English when there is no such book.
        init(_ locale: Locale) {
            language = Self.language(for: locale)
            table = Self.table(of: language)
        }

        /// Returns a phrase, with its argument in place.
        func callAsFunction(_ phrase: Phrase, _ argument: String? = nil) -> String {
            let missing = "\u{0}"
            var text = table?.localizedString(forKey: phrase.rawValue, value: missing, table: nil) ?? missing
            if text == missing { text = language == "en" ? phrase.rawValue : PhraseBook(Self.english)(phrase) }
            return argument.map { text.replacing("%@", with: $0) } ?? text
        }

        private static let english = Locale(identifier: "en")

        private static func language(for locale: Locale) -> String {
            let code = locale.language.languageCode?.identifier ?? "en"
            // For a language with two scripts, the region decides if the language names none (zh-TW is traditional).
            let script = Locale.Language(identifier: locale.language.maximalIdentifier).script?.identifier
            let candidates = [script.map { "\(code)-\($0)" }, code].compactMap(\.self)
            return candidates.first { languages.contains($0) } ?? "en"
        }

        /// Returns the folder of a language, whose name differs between build systems.
        private static func table(of language: String) -> Bundle? {
            [language, language.lowercased()].lazy
                .compactMap { Bundle.module.path(forResource: $0, ofType: "lproj") }
                .compactMap { Bundle(path: $0) }
                .first
        }
    }
#endif
