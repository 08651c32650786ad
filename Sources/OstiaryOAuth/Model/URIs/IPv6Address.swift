/// The syntax of an IPv6 address (RFC 3986 section 3.2.2), so that all parsers read a bracketed address as the same
/// host.
enum IPv6Address {
    /// Whether the text, in lower case and without brackets, is an address; zone identifiers are not accepted.
    static func isWellFormed(_ text: Substring) -> Bool {
        guard text.utf8.count <= 45 else { return false }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        switch halves.count {
        case 1: return groups(halves[0], mayEndWithIPv4: true) == 8
        case 2:
            guard let left = groups(halves[0], mayEndWithIPv4: false),
                let right = groups(halves[1], mayEndWithIPv4: true)
            else { return false }
            return left + right <= 7
        default: return false
        }
    }

    /// Returns the number of 16-bit groups in a part; `nil` when it is malformed.
    private static func groups(_ part: Substring, mayEndWithIPv4: Bool) -> Int? {
        if part.isEmpty { return 0 }
        var parts = part.split(separator: ":", omittingEmptySubsequences: false)
        var count = 0
        if mayEndWithIPv4, let last = parts.last, last.contains(".") {
            guard isIPv4(last) else { return nil }
            parts.removeLast()
            count = 2
        }
        guard parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isHexadecimal) }) else {
            return nil
        }
        return count + parts.count
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { number in
                (1...3).contains(number.utf8.count) && number.utf8.allSatisfy(isDigit)
                    && (number.utf8.count == 1 || number.utf8.first != UInt8(ascii: "0"))
                    && Int(number).map { $0 <= 255 } ?? false
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
