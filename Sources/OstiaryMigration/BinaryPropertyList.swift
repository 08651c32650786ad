#if canImport(FoundationEssentials)
    import OstiaryCompatibility
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads Apple's binary property lists, version 00, of at most 1 MiB and 20,000 objects.
///
/// No class is instantiated by its name: the list contains values only, and none of its code runs. An object is looked
/// up at its first use, so that a list that contains itself costs nothing.
///
/// (The layout is public in CoreFoundation's `CFBinaryPList.c`.)
struct BinaryPropertyList {
    /// A reference to an object.
    struct Reference: Hashable {
        fileprivate let number: Int
    }

    /// One object.
    enum Object {
        case null
        case bool(Bool)
        case integer(Int)
        case real(Double)
        case string(String)
        case data([UInt8])
        /// A keyed archive's reference into its list of objects.
        case identifier(Int)
        case array([Reference])
        case dictionary([(key: Reference, value: Reference)])
    }

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    /// The outermost object.
    let top: Reference

    /// - Returns: `nil` for anything that is not such a list.
    init?(_ bytes: [UInt8]) {
        guard (40...1_048_576).contains(bytes.count), bytes.starts(with: "bplist00".utf8) else { return nil }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(in: bytes, at: trailer + 8, 8), (1...20_000).contains(count),
            let top = Self.number(in: bytes, at: trailer + 16, 8), top < count,
            let table = Self.number(in: bytes, at: trailer + 24, 8), table >= 8, table <= trailer,
            count * offsetSize <= trailer - table
        else { return nil }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = Self.number(in: bytes, at: table + index * offsetSize, offsetSize), (8..<table) ~= offset
            else { return nil }
            offsets.append(offset)
        }
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        self.top = Reference(number: top)
    }

    /// Reads an object; `nil` for one of a kind that is not known, or that goes beyond the list's end.
    subscript(_ reference: Reference) -> Object? {
        guard offsets.indices.contains(reference.number) else { return nil }
        let offset = offsets[reference.number]
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch kind {
        case 0x0: return low == 0 ? .null : low == 8 ? .bool(false) : low == 9 ? .bool(true) : nil
        case 0x1: return low <= 3 ? Self.number(in: bytes, at: offset + 1, 1 << low).map(Object.integer) : nil
        case 0x2, 0x3: return real(at: offset + 1, low)
        case 0x4: return content(at: offset, low, width: 1).map { .data(Array($0)) }
        case 0x5: return content(at: offset, low, width: 1).flatMap(Self.ascii)
        case 0x6: return content(at: offset, low, width: 2).flatMap(Self.utf16)
        case 0x8: return low < 8 ? Self.number(in: bytes, at: offset + 1, low + 1).map(Object.identifier) : nil
        case 0xA: return references(at: offset, low, lists: 1).map { .array($0) }
        case 0xD:
            return references(at: offset, low, lists: 2).map { all in
                let half = all.count / 2
                return .dictionary(zip(all[..<half], all[half...]).map { ($0, $1) })
            }
        default: return nil
        }
    }

    private func real(at offset: Int, _ low: Int) -> Object? {
        guard low == 3, offset + 8 <= bytes.count else { return nil }
        return .real(Double(bitPattern: bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }))
    }

    private static func ascii(_ content: ArraySlice<UInt8>) -> Object? {
        content.allSatisfy { $0 < 0x80 } ? .string(String(decoding: content, as: UTF8.self)) : nil
    }

    private static func utf16(_ content: ArraySlice<UInt8>) -> Object? {
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map { index in
            UInt16(content[index]) << 8 | UInt16(content[index + 1])
        }
        return String(utf16: units).map(Object.string)
    }

    /// The bytes of an object that says how many there are.
    private func content(at offset: Int, _ low: Int, width: Int) -> ArraySlice<UInt8>? {
        guard let (start, count) = length(at: offset, low), count <= (bytes.count - start) / width else { return nil }
        return bytes[start..<start + count * width]
    }

    private func references(at offset: Int, _ low: Int, lists: Int) -> [Reference]? {
        guard let (start, count) = length(at: offset, low),
            count <= (bytes.count - start) / (referenceSize * lists)
        else { return nil }
        var references: [Reference] = []
        for index in 0..<count * lists {
            guard let number = Self.number(in: bytes, at: start + index * referenceSize, referenceSize) else {
                return nil
            }
            references.append(Reference(number: number))
        }
        return references
    }

    /// Returns the start of an object's content, and the number of its parts.
    private func length(at offset: Int, _ low: Int) -> (start: Int, count: Int)? {
        guard low == 0x0F else { return (offset + 1, low) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 0x1 else { return nil }
        let power = Int(bytes[offset + 1] & 0x0F)
        guard power <= 3, let count = Self.number(in: bytes, at: offset + 2, 1 << power) else { return nil }
        let start = offset + 2 + (1 << power)
        return start <= bytes.count ? (start, count) : nil
    }

    /// An unsigned number, the highest byte first; `nil` beyond the end, and for one that no `Int` holds.
    private static func number(in bytes: [UInt8], at offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else { return nil }
        return Int(exactly: bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
