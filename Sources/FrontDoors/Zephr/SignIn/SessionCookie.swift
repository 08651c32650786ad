import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session from a site: the value of the cookie `blaize_session`, and its lifetime.
struct SessionCookie: Sendable {
    static let name = "blaize_session"
    let id: Secret
    let expiry: Date?

    /// A session that came without its cookie.
    init(_ id: Secret, expiry: Date? = nil) {
        self.id = id
        self.expiry = expiry
    }

    /// Reads a cookie as text, such as `blaize_session=…; Expires=…; Path=/;` (RFC 6265 section 5.2); `nil` for another
    /// cookie, and for a value that cannot be sent back.
    init?(_ text: String, now: Date) {
        guard text.utf8.count <= 8192 else { return nil }
        let items = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Self.pair(Substring($0)) }
        guard let first = items.first, first.name == Self.name, let value = first.value, Self.isValue(value) else {
            return nil
        }
        id = Secret(value)
        var expires: Date?
        var maximumAge: Double?
        for item in items.dropFirst() {
            switch item.name.lowercased() {
            case "expires": expires = item.value.flatMap(CookieExpiry.date) ?? expires
            case "max-age": maximumAge = item.value.flatMap(Int.init).map(Double.init) ?? maximumAge
            default: break
            }
        }
        // Max-Age has precedence (RFC 6265 section 5.3).
        expiry = maximumAge.map { now.addingTimeInterval(min($0, 34_560_000)) } ?? expires
    }

    /// The cookies of a `Set-Cookie` field.
    ///
    /// Some transports join several fields with commas, and a date has a comma of its own: a comma separates where a
    /// name and `=` follow it.
    static func separated(_ field: String) -> [String] {
        field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String(Substring($0)) }
            .reduce(into: []) { cookies, piece in
                let trimmed = piece.drop { $0 == " " }
                let name = trimmed.prefix { $0 != "=" && $0 != ";" && $0 != " " }
                let begins = !name.isEmpty && trimmed.dropFirst(name.count).first == "="
                if begins || cookies.isEmpty {
                    cookies.append(String(trimmed))
                } else {
                    cookies[cookies.count - 1] += "," + piece
                }
            }
    }

    /// Whether a text can be sent back as a cookie's value as it stands (RFC 6265 section 4.1.1): nothing in it ends
    /// the value, the cookie or the header field.
    static func isValue(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
                default: false
                }
            }
    }

    private static func pair(_ item: Substring) -> (name: String, value: String?) {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        func trimmed(_ text: Substring) -> String {
            let start = text.drop { $0 == " " || $0 == "\t" }
            return String(
                start.prefix(
                    upTo: start.lastIndex { $0 != " " && $0 != "\t" }.map(start.index(after:)) ?? start.startIndex
                )
            )
        }
        return (trimmed(parts.first ?? ""), parts.count > 1 ? trimmed(parts[1]) : nil)
    }
}

/// The date of a cookie's `Expires`, in any of the forms that servers write (RFC 6265 section 5.1.1).
enum CookieExpiry {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Reads a date; `nil` when a part of it is missing or cannot be.
    static func date(_ text: String) -> Date? {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        for word in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":")) }) {
            let clock = word.split(separator: ":").compactMap { Int($0) }
            let number = Int(word)
            if time == nil, clock.count == 3 {
                time = clock
            } else if day == nil, word.utf8.count <= 2, let number {
                day = number
            } else if month == nil, let place = months.firstIndex(of: word.prefix(3).lowercased()) {
                month = place + 1
            } else if year == nil, let number, word.utf8.count == 2 || word.utf8.count == 4 {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
        guard let time, let day, let month, let year, year >= 1601, (1...31).contains(day), time[0] < 24, time[1] < 60,
            time[2] < 60, time.allSatisfy({ $0 >= 0 })
        else { return nil }
        let seconds = Double(time[0] * 3600 + time[1] * 60 + time[2])
        return Date(timeIntervalSince1970: Double(days(year, month, day)) * 86_400 + seconds)
    }

    /// Days since 1 January 1970; a leap day is the last of a year that begins in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    }
}
