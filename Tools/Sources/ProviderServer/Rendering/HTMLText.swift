import Mustache

/// Text as HTML, for content and for quoted attributes.
///
/// Mustache's own escaping looks at characters, and a quote with a combining accent behind it is one character that it
/// does not know: whoever can put such a pair into a client's name would get out of an attribute. This one looks at code
/// points.
struct HTMLText: MustacheContentType {
    /// The name that a template asks for it by.
    static let name = "OSTIARYHTML"

    /// What has to stand at the start of every template, partials too: Mustache goes back to its own escaping in each.
    static let pragma = "{{% CONTENT_TYPE: \(name)}}\n"

    /// Makes the name known to Mustache, which keeps one list for the process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(HTMLText(), named: name)
        return true
    }()

    func escapeText(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\u{0}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
