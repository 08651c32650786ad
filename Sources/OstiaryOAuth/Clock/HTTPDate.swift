#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The format of a date in HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7, IMF-fixdate).
package enum HTTPDate {
    /// Reads a date; the two obsolete forms are not read.
    ///
    /// - Returns: `nil` for anything but 29 characters that name a real moment between 1970 and 9999.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, days.contains(String(decoding: bytes[0..<3], as: UTF8.self)),
            String(decoding: bytes[3..<5], as: UTF8.self) == ", ", bytes[7] == space, bytes[11] == space,
            bytes[16] == space, bytes[19] == colon, bytes[22] == colon,
            String(decoding: bytes[25..<29], as: UTF8.self) == " GMT",
            let day = number(bytes[5..<7]),
            let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)).map({ $0 + 1 }),
            let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]), let minute = number(bytes[20..<22]),
            let second = number(bytes[23..<25]), year >= 1970, (1...31).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        let count = daysSince1970(year: year, month: month, day: day)
        guard civil(count) == (year, month, day) else { return nil }
        return Date(timeIntervalSince1970: Double(count) * 86_400 + Double(hour * 3600 + minute * 60 + second))
    }

    /// Writes a date; a fraction of a second is dropped.
    package static func text(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        let count = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        let rest = Int(seconds - Int64(count) * 86_400)
        let (year, month, day) = civil(count)
        // The first of January 1970 was a Thursday.
        let weekday = days[((count % 7) + 7 + 4) % 7]
        return "\(weekday), \(padded(day)) \(months[month - 1]) \(year) "
            + "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60)) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let space = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")

    private static func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { value, digit -> Int? in
            guard let value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            return value * 10 + Int(digit - UInt8(ascii: "0"))
        }
    }

    /// Days from the first of January 1970, by the Gregorian calendar counted in eras of 400 years from March on.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part + (part < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}
