import HTTPTypes
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cookies of an ``HTTPUserAgent`` (RFC 6265 section 5).
///
/// A cookie is returned to the host that set it, and to hosts below the domain that it names. There is no public suffix
/// list. The domain must contain a dot, which is enough for a program that visits one sign-in.
struct CookieJar: Sendable {
    private struct Cookie: Sendable {
        var name: String
        var value: String
        var domain: String
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
        var expiry: Date?
    }

    private static let maximumCookies = 300
    private static let maximumBytes = 8_192

    private var cookies: [Cookie] = []

    /// Stores the cookies that a response sets.
    mutating func take(from fields: HTTPFields, of url: URL, now: Date) {
        guard let parts = URIParts(url), let host = parts.authority?.host else { return }
        for text in fields[values: .setCookie].flatMap(Self.separated) where text.utf8.count <= Self.maximumBytes {
            guard let cookie = Self.cookie(text, host: host, parts: parts, now: now) else { continue }
            cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
            cookies.append(cookie)
        }
        cookies.removeAll { $0.expiry.map { $0 <= now } ?? false }
        cookies.removeFirst(max(cookies.count - Self.maximumCookies, 0))
    }

    /// Returns the `Cookie` field for a URL; `nil` when there is no cookie to send.
    func field(for url: URL, now: Date) -> String? {
        guard let parts = URIParts(url), let host = parts.authority?.host else { return nil }
        let path = parts.path.isEmpty ? "/" : parts.path
        let fitting = cookies.filter { cookie in
            (cookie.isHostOnly ? cookie.domain == host : Self.isHost(host, within: cookie.domain))
                && Self.isPath(path, within: cookie.path)
                // Browsers trust this machine as they trust TLS.
                && (!cookie.isSecure || parts.isSecureOrLoopback)
                && cookie.expiry.map { $0 > now } ?? true
        }
        guard !fitting.isEmpty else { return nil }
        // Longer paths first, then older cookies; the standard library's sort is stable.
        return fitting.sorted { $0.path.utf8.count > $1.path.utf8.count }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }

    /// Splits a field into its cookies.
    ///
    /// URLSession joins several fields with commas, and a date contains a comma: a comma separates two cookies only if
    /// a name and `=` follow it.
    private static func separated(_ value: String) -> [String] {
        let pieces = value.split(separator: ",", omittingEmptySubsequences: false)
        var cookies: [String] = []
        for piece in pieces {
            let name = piece.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " }
            let startsCookie =
                piece.dropFirst(piece.count - piece.drop { $0 == " " }.count + name.count).first == "="
                && !name.isEmpty && !name.contains(" ")
            if startsCookie || cookies.isEmpty {
                cookies.append(String(piece))
            } else {
                cookies[cookies.count - 1] += "," + piece
            }
        }
        return cookies
    }

    private static func cookie(_ text: String, host: String, parts: URIParts, now: Date) -> Cookie? {
        let items = text.split(separator: ";", omittingEmptySubsequences: false).map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: trimmed(pair.first ?? ""), value: pair.count > 1 ? trimmed(pair[1]) : nil)
        }
        guard let first = items.first, !first.name.isEmpty, let value = first.value else { return nil }
        var cookie = Cookie(
            name: first.name,
            value: value,
            domain: host,
            isHostOnly: true,
            path: defaultPath(parts.path),
            isSecure: false,
            expiry: nil
        )
        var maximumAge: Int?
        for item in items.dropFirst() {
            switch (item.name.lowercased(), item.value ?? "") {
            case ("secure", _): cookie.isSecure = true
            case ("max-age", let text): maximumAge = Int(text) ?? maximumAge
            case ("expires", let text): cookie.expiry = CookieDate.parse(text) ?? cookie.expiry
            case ("path", let text): cookie.path = text.hasPrefix("/") ? text : defaultPath(parts.path)
            case ("domain", let text) where !text.isEmpty:
                let domain = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
                guard domain != host else { continue }
                guard domain.contains("."), isHost(host, within: domain) else { return nil }
                cookie.domain = domain
                cookie.isHostOnly = false
            default: break
            }
        }
        if let maximumAge { cookie.expiry = now.addingTimeInterval(Double(min(maximumAge, 34_560_000))) }
        return cookie
    }

    /// Whether a host equals a domain or is below it; an IP address is below nothing.
    private static func isHost(_ host: String, within domain: String) -> Bool {
        if host == domain { return true }
        return host.hasSuffix("." + domain) && host.contains { $0.isLetter } && !host.hasPrefix("[")
    }

    private static func isPath(_ path: String, within prefix: String) -> Bool {
        path == prefix || path.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/")
    }

    /// The folder of a path (RFC 6265 section 5.1.4).
    private static func defaultPath(_ path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }.map(start.index(after:)) ?? start.startIndex
        return String(start[..<end])
    }
}

/// The date of a cookie's `Expires` (RFC 6265 section 5.1.1).
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    static func parse(_ text: String) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for word in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":")) }) {
            let numbers = word.split(separator: ":").compactMap { Int($0) }
            if time == nil, word.contains(":"), numbers.count == 3 {
                time = (numbers[0], numbers[1], numbers[2])
            } else if day == nil, word.count <= 2, let number = Int(word) {
                day = number
            } else if month == nil, let index = months.firstIndex(of: word.prefix(3).lowercased()) {
                month = index + 1
            } else if year == nil, let number = Int(word), word.count == 2 || word.count == 4 {
                year = number < 70 ? 2000 + number : number < 100 ? 1900 + number : number
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601, time.hour < 24,
            time.minute < 60, time.second < 60
        else { return nil }
        let seconds = Double(time.hour * 3600 + time.minute * 60 + time.second)
        return Date(timeIntervalSince1970: Double(days(year: year, month: month, day: day)) * 86_400 + seconds)
    }

    /// Days since 1 January 1970 in the Gregorian calendar, counting years from March so that a leap day comes last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
