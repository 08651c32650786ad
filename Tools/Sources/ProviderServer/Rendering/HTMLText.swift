import Mustache
import OstiaryProvider

/// The provider's own escaping for Mustache, whose own looks at characters rather than code points.
struct HTMLText: MustacheContentType {
    /// The name under which a template uses it.
    static let name = "OSTIARYHTML"

    /// The required start of every template, including partials: Mustache otherwise uses its own escaping in each.
    static let pragma = "{{% CONTENT_TYPE: \(name)}}\n"

    /// Makes the name known to Mustache, which keeps one list for the process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(HTMLText(), named: name)
        return true
    }()

    func escapeText(_ text: String) -> String { HTMLEscaping.escape(text) }
}
