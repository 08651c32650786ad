/// Numbers. (RFC 8259 section 6)
extension JSONParser {
    /// Reads a number: an integer when it is written as one and fits `Int`, a floating-point number otherwise.
    ///
    /// A number beyond the range of `Double` is refused; it would be read as infinity.
    mutating func parseNumber() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == ASCII.minus
        if isNegative { position += 1 }
        let integer = try parseIntegerPart(isNegative: isNegative)
        let hasFraction = try skipFraction()
        let hasExponent = try skipExponent()
        if !hasFraction, !hasExponent, let integer { return .integer(integer) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw .malformed(offset: start) }
        return .number(value)
    }

    /// The signed integer part, `nil` when it does not fit; a leading zero stands alone.
    private mutating func parseIntegerPart(isNegative: Bool) throws(JSONError) -> Int? {
        guard let first = current, ASCII.isDigit(first) else { throw malformed }
        if first == ASCII.zero {
            position += 1
            if let next = current, ASCII.isDigit(next) { throw malformed }
            return 0
        }
        var value = 0
        var overflows = false
        while let byte = current, ASCII.isDigit(byte) {
            let digit = Int(byte &- ASCII.zero)
            let (tens, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            overflows = overflows || first || second
            value = sum
            position += 1
        }
        return overflows ? nil : value
    }

    /// Skips a fraction; returns whether there was one.
    private mutating func skipFraction() throws(JSONError) -> Bool {
        guard current == ASCII.dot else { return false }
        position += 1
        try skipDigits()
        return true
    }

    /// Skips an exponent; returns whether there was one.
    private mutating func skipExponent() throws(JSONError) -> Bool {
        guard current == UInt8(ascii: "e") || current == UInt8(ascii: "E") else { return false }
        position += 1
        if current == ASCII.minus || current == UInt8(ascii: "+") { position += 1 }
        try skipDigits()
        return true
    }

    private mutating func skipDigits() throws(JSONError) {
        guard let byte = current, ASCII.isDigit(byte) else { throw malformed }
        while let byte = current, ASCII.isDigit(byte) { position += 1 }
    }
}
