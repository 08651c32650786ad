/// Reads the binary form, `bplist00`: objects, a table of their offsets, and a trailer that says where the table is.
///
/// Objects refer to each other by number. A list may refer to one object many times, at every level: the budget counts
/// each time, so that it cannot unfold into more than its limits.
struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private var budget: PropertyListBudget

    static func read(_ bytes: [UInt8], _ limits: PropertyListLimits) throws(PropertyListError) -> PropertyList {
        let trailerSize = 32
        guard bytes.count >= 8 + trailerSize else { throw PropertyListError(.malformed) }
        let trailer = Array(bytes.suffix(trailerSize))
        let offsetSize = Int(trailer[6])
        let referenceSize = Int(trailer[7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = number(trailer[8..<16]), let top = number(trailer[16..<24]),
            let table = number(trailer[24..<32]),
            count <= limits.values, table <= bytes.count - trailerSize,
            count * offsetSize <= bytes.count - trailerSize - table
        else { throw PropertyListError(.malformed) }
        var offsets: [Int] = []
        for index in 0..<count {
            let start = table + index * offsetSize
            guard let offset = number(bytes[start..<(start + offsetSize)]) else { throw PropertyListError(.malformed) }
            offsets.append(offset)
        }
        var reader = BinaryPropertyListReader(
            bytes: Array(bytes.prefix(table)),
            offsets: offsets,
            referenceSize: referenceSize,
            budget: PropertyListBudget(limits)
        )
        return try reader.object(top, depth: 1)
    }

    private mutating func object(_ number: Int, depth: Int) throws(PropertyListError) -> PropertyList {
        try budget.spend(at: depth)
        guard offsets.indices.contains(number), bytes.indices.contains(offsets[number]) else { throw malformed }
        let marker = bytes[offsets[number]]
        var position = offsets[number] + 1
        switch marker >> 4 {
        case 0x0: return PropertyList(marker == 0x09 ? .bool(true) : marker == 0x08 ? .bool(false) : .other)
        case 0x1:
            let data = try take(1 << min(Int(marker & 0x0F), 5), at: &position)
            return PropertyList(Self.number(data.suffix(8)).map { .integer($0) } ?? .other)
        case 0x5:
            let text = try take(try count(marker, at: &position), at: &position)
            return PropertyList(.string(String(decoding: text, as: UTF8.self)))
        case 0x6:
            let count = try count(marker, at: &position)
            guard count <= bytes.count else { throw malformed }
            let units = Array(try take(count * 2, at: &position))
            let text = stride(from: 0, to: units.count, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
            return PropertyList(.string(String(decoding: text, as: UTF16.self)))
        case 0xA, 0xC:
            let references = try references(try count(marker, at: &position), at: &position)
            var elements: [PropertyList] = []
            for reference in references { elements.append(try object(reference, depth: depth + 1)) }
            return PropertyList(.array(elements))
        case 0xD:
            let count = try count(marker, at: &position)
            let keys = try references(count, at: &position)
            let values = try references(count, at: &position)
            var members: [PropertyList.Member] = []
            for (key, value) in zip(keys, values) {
                guard let key = try object(key, depth: depth + 1).string else { throw malformed }
                let value = try object(value, depth: depth + 1)
                members.append(PropertyList.Member(key: key, line: nil, value: value))
            }
            return PropertyList(.dictionary(members))
        default: return PropertyList(.other)
        }
    }

    /// Reads the number of bytes, characters or references that follow: in the marker, or in a number after it.
    private func count(_ marker: UInt8, at position: inout Int) throws(PropertyListError) -> Int {
        let short = Int(marker & 0x0F)
        guard short == 0x0F else { return short }
        let kind = try take(1, at: &position).first ?? 0
        guard kind >> 4 == 0x1, kind & 0x0F <= 3,
            let count = Self.number(try take(1 << Int(kind & 0x0F), at: &position))
        else { throw malformed }
        return count
    }

    private func references(_ count: Int, at position: inout Int) throws(PropertyListError) -> [Int] {
        guard count <= bytes.count else { throw malformed }
        let data = try take(count * referenceSize, at: &position)
        var references: [Int] = []
        for start in stride(from: data.startIndex, to: data.endIndex, by: referenceSize) {
            guard let reference = Self.number(data[start..<(start + referenceSize)]) else { throw malformed }
            references.append(reference)
        }
        return references
    }

    private func take(_ count: Int, at position: inout Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        guard count >= 0, position >= 0, count <= bytes.count - position else { throw malformed }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private var malformed: PropertyListError { PropertyListError(.malformed) }

    /// A number in network order; `nil` for one that no length or index can be.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value: UInt64 = 0
        for byte in bytes { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }
}
