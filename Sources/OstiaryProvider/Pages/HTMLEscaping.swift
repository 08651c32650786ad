/// Text as HTML, for content and for quoted attributes.
public enum HTMLEscaping {
    /// Escapes code point by code point.
    ///
    /// A quote followed by a combining accent is one character, and an escaper that works on characters misses it. An
    /// attacker who put such a pair into a client's name could break out of an attribute.
    public static func escape(_ text: String) -> String {
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
