import Foundation

/// Reads what a bundle says in a language: a String Catalog as it stands in the sources, or a table of strings.
enum SimulatedStrings {
    static func format(of key: String, in locale: Locale, table: String, bundle: Bundle) -> String? {
        for language in languages(of: locale) {
            if let format = catalog(table, bundle)?[key]?[language] { return format }
            if let format = strings(table, language, bundle)?[key] { return format }
        }
        return nil
    }

    /// From the most to the least special: `zh-Hans-CN`, `zh-Hans`, `zh`; then the package's own language.
    private static func languages(of locale: Locale) -> [String] {
        var parts = locale.identifier.replacing("_", with: "-").split(separator: "-")
        // A language with a region and no script: Chinese is written in two.
        if parts.first == "zh", parts.count == 2, ["CN", "SG"].contains(parts[1]) { parts.insert("Hans", at: 1) }
        if parts.first == "zh", parts.count == 2, ["TW", "HK", "MO"].contains(parts[1]) { parts.insert("Hant", at: 1) }
        return (1...max(1, parts.count)).reversed().map { parts.prefix($0).joined(separator: "-") } + ["en"]
    }

    private static func strings(_ table: String, _ language: String, _ bundle: Bundle) -> [String: String]? {
        for name in [language, language.lowercased()] {
            guard let url = bundle.resourceURL?.appending(path: "\(name).lproj/\(table).strings"),
                let data = try? Data(contentsOf: url)
            else { continue }
            return try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: String]
        }
        return nil
    }

    private struct Catalog: Decodable {
        struct Entry: Decodable {
            struct Localization: Decodable {
                struct Unit: Decodable { var value: String }
                var stringUnit: Unit?
            }
            var localizations: [String: Localization]?
        }
        var strings: [String: Entry]
    }

    private static func catalog(_ table: String, _ bundle: Bundle) -> [String: [String: String]]? {
        guard let url = bundle.resourceURL?.appending(path: "\(table).xcstrings"),
            let data = try? Data(contentsOf: url),
            let catalog = try? JSONDecoder().decode(Catalog.self, from: data)
        else { return nil }
        return catalog.strings.mapValues { entry in
            (entry.localizations ?? [:]).compactMapValues { $0.stringUnit?.value }
        }
    }
}
