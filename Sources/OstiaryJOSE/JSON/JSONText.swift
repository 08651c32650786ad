/// An object as the text that it was parsed from: the positions of its members are known, and its strings are not made
/// yet.
///
/// Of the twenty claims of a token a check reads a few; making the others costs more than looking at their bytes.
struct JSONText: Sendable {
    private let bytes: [UInt8]
    private let entries: [Entry]
    /// Values that are not plain.
    private let others: [JSONValue]

    private struct Entry: Sendable {
        let nameStart: UInt32
        let nameEnd: UInt32
        let fingerprint: NameFingerprint
        let value: Value
    }

    private enum Value: Sendable {
        /// A string of ASCII without escapes.
        case text(start: UInt32, end: UInt32)
        case integer(Int)
        /// Any other, at this place among them.
        case other(Int)
    }

    var count: Int { entries.count }

    subscript(_ name: MemberName) -> JSONValue? {
        for entry in entries where entry.fingerprint == name.fingerprint {
            let isSame = bytes[Int(entry.nameStart)..<Int(entry.nameEnd)].withElements { own in
                name.text.withElements { own.isSame(as: $0) }
            }
            if isSame { return value(entry.value) }
        }
        return nil
    }

    /// The names, in order.
    var names: [String] { entries.map { string($0.nameStart, $0.nameEnd) } }

    /// Every member as a value.
    var members: MemberList {
        var list = MemberList(capacity: entries.count)
        for entry in entries { _ = list.append(string(entry.nameStart, entry.nameEnd), value(entry.value)) }
        return list
    }

    private func value(_ value: Value) -> JSONValue {
        switch value {
        case .text(let start, let end): .string(string(start, end))
        case .integer(let number): .integer(number)
        case .other(let place): others[place]
        }
    }

    private func string(_ start: UInt32, _ end: UInt32) -> String {
        bytes[Int(start)..<Int(end)].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension JSONText {
    /// Reads a text that is one object of few members with plain names.
    ///
    /// It is `nil` for any other text, valid or not; the parser then determines which.
    ///
    /// - Parameters:
    ///   - bytes: The text, of at most 4 GiB.
    ///   - remainingValues: The number of values that the text may have besides the object itself.
    ///   - parseValue: Reads a value that is not plain, at a position, within the limits. Returns its end and the
    ///     number of values that may follow, or `nil` when the value is rejected.
    init?(
        _ bytes: [UInt8],
        remainingValues: Int,
        parseValue: (_ position: Int, _ remainingValues: Int) -> (value: JSONValue, end: Int, remaining: Int)?
    ) {
        guard UInt64(bytes.count) < UInt64(UInt32.max) else { return nil }
        let read = bytes.withElements { Self.read($0, remainingValues: remainingValues, parseValue: parseValue) }
        guard let (entries, others) = read else { return nil }
        self.bytes = bytes
        self.entries = entries
        self.others = others
    }

    private static func read(
        _ text: LentElements<UInt8>,
        remainingValues: Int,
        parseValue: (_ position: Int, _ remainingValues: Int) -> (value: JSONValue, end: Int, remaining: Int)?
    ) -> (entries: [Entry], others: [JSONValue])? {
        var at = 0
        var remaining = remainingValues
        var entries: [Entry] = []
        // Members take some 24 bytes of text each.
        entries.reserveCapacity(min(text.count / 24 &+ 1, JSONObject.linearLimit))
        var others: [JSONValue] = []
        var seen: UInt64 = 0
        guard Self.take(ASCII.openBrace, text, &at) else { return nil }
        repeat {
            guard entries.count < JSONObject.linearLimit, remaining > 0, let (name, fingerprint) = Self.name(text, &at)
            else { return nil }
            if seen & fingerprint.bit != 0, entries.contains(where: { $0.fingerprint == fingerprint }) { return nil }
            seen |= fingerprint.bit
            guard Self.take(ASCII.colon, text, &at) else { return nil }
            let value: Value
            if let plain = Self.plainValue(text, &at) {
                value = plain
                remaining &-= 1
            } else {
                guard let other = parseValue(at, remaining) else { return nil }
                value = .other(others.count)
                others.append(other.value)
                at = other.end
                remaining = other.remaining
            }
            entries.append(
                Entry(
                    nameStart: UInt32(truncatingIfNeeded: name.lowerBound),
                    nameEnd: UInt32(truncatingIfNeeded: name.upperBound),
                    fingerprint: fingerprint,
                    value: value
                )
            )
        } while Self.take(ASCII.comma, text, &at)
        guard Self.take(ASCII.closeBrace, text, &at), at == text.count else { return nil }
        return (entries, others)
    }

    /// Moves past `byte` and the white space around it; returns whether it was there.
    @inline(__always)
    private static func take(_ byte: UInt8, _ text: LentElements<UInt8>, _ at: inout Int) -> Bool {
        if at < text.count, text[at] <= 0x20 { skipWhiteSpace(text, &at) }
        guard at < text.count, text[at] == byte else { return false }
        at &+= 1
        if at < text.count, text[at] <= 0x20 { skipWhiteSpace(text, &at) }
        return true
    }

    private static func skipWhiteSpace(_ text: LentElements<UInt8>, _ at: inout Int) {
        while at < text.count {
            switch text[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at &+= 1
            default: return
            }
        }
    }

    /// A name of ASCII without escapes.
    @inline(__always)
    private static func name(_ text: LentElements<UInt8>, _ at: inout Int) -> (Range<Int>, NameFingerprint)? {
        guard let name = plainText(text, &at) else { return nil }
        var fingerprint = NameFingerprint()
        for position in name { fingerprint.add(text[position]) }
        return (name, fingerprint)
    }

    /// The content of a string of ASCII without escapes.
    @inline(__always)
    private static func plainText(_ text: LentElements<UInt8>, _ at: inout Int) -> Range<Int>? {
        guard at < text.count, text[at] == ASCII.quote else { return nil }
        let start = at &+ 1
        let end = text.endOfPlainText(from: start)
        guard end < text.count, text[end] == ASCII.quote else { return nil }
        at = end &+ 1
        return start..<end
    }

    /// A string of ASCII without escapes, or an integer of few digits.
    @inline(__always)
    private static func plainValue(_ text: LentElements<UInt8>, _ at: inout Int) -> Value? {
        guard at < text.count else { return nil }
        if text[at] == ASCII.quote {
            return plainText(text, &at).map {
                .text(
                    start: UInt32(truncatingIfNeeded: $0.lowerBound),
                    end: UInt32(truncatingIfNeeded: $0.upperBound)
                )
            }
        }
        return integer(text, &at)
    }

    /// On a watch `Int` has 32 bits.
    private static let digitsThatFit = Int.bitWidth == 32 ? 9 : 18

    private static func integer(_ text: LentElements<UInt8>, _ at: inout Int) -> Value? {
        guard (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(text[at]) else { return nil }
        var end = at
        var value = 0
        while end < text.count, ASCII.isDigit(text[end]) {
            // So many digits fit in any case; longer numbers are for the parser.
            guard end &- at < digitsThatFit else { return nil }
            value = value &* 10 &+ Int(text[end] &- ASCII.zero)
            end &+= 1
        }
        if end < text.count, text[end] == ASCII.dot || text[end] | 0x20 == UInt8(ascii: "e") { return nil }
        at = end
        return .integer(value)
    }
}
