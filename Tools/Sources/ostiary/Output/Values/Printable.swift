package import OstiaryJOSE

/// Whether a character changes the display of a terminal around it; untrusted text must not contain any.
///
/// Control characters (C0, DEL, C1) move the cursor or retitle the window. Bidirectional controls reorder the text
/// around them. Separators start lines. Tags and the byte order mark are invisible.
private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
}

extension String {
    /// The text on one line, with each unsafe character written as `\u{…}`.
    package var printable: String {
        guard unicodeScalars.contains(where: isUnsafe) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if isUnsafe(scalar) {
                text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension JSONObject {
    /// The object as one line of JSON in which each unsafe character is written as JSON's own escape.
    package var printable: String {
        // Unsafe characters can only stand inside of strings: outside of them JSON is ASCII.
        String(decoding: encoded(), as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
            guard isUnsafe(scalar) else { return text.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
