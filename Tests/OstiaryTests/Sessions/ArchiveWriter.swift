import Foundation

/// Writes binary property lists and keyed archives as Apple's Foundation does, for tests on every platform.
enum ArchiveWriter {
    indirect enum Node {
        case string(String), integer(Int), identifier(Int), bool(Bool), array([Node]), dictionary([(String, Node)])
        case data([UInt8]), real(Double)
    }

    /// A keyed archive of an object, which is made of dictionaries, strings and arrays.
    static func archive(_ root: Value) -> [UInt8] {
        var objects: [Node] = [.string("$null")]
        let number = add(root, to: &objects)
        return propertyList(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .identifier(number))])), ("$objects", .array(objects)),
            ])
        )
    }

    /// A value that is archived.
    indirect enum Value {
        case null, text(String), mutableText(String), url(String)
        /// Seconds since 1970.
        case date(Double)
        case object(String, [(String, Value)])
        case dictionary([(String, Value)])
    }

    private static func add(_ value: Value, to objects: inout [Node]) -> Int {
        func classNumber(_ name: String) -> Int {
            objects.append(.dictionary([("$classname", .string(name)), ("$classes", .array([.string(name)]))]))
            return objects.count - 1
        }
        switch value {
        case .null: return 0
        case .text(let text): objects.append(.string(text))
        case .mutableText(let text):
            let kind = classNumber("NSMutableString")
            objects.append(.dictionary([("NS.string", .string(text)), ("$class", .identifier(kind))]))
        case .url(let text):
            objects.append(.string(text))
            let relative = objects.count - 1
            let kind = classNumber("NSURL")
            objects.append(
                .dictionary([
                    ("NS.base", .identifier(0)), ("NS.relative", .identifier(relative)), ("$class", .identifier(kind)),
                ])
            )
        case .date(let seconds):
            let kind = classNumber("NSDate")
            objects.append(
                .dictionary([("NS.time", .real(seconds - 978_307_200)), ("$class", .identifier(kind))])
            )
        case .object(let name, let members):
            let own = members.map { ($0.0, Node.identifier(add($0.1, to: &objects))) }
            let kind = classNumber(name)
            objects.append(.dictionary(own + [("$class", .identifier(kind))]))
        case .dictionary(let entries):
            let keys = entries.map { Node.identifier(add(.text($0.0), to: &objects)) }
            let values = entries.map { Node.identifier(add($0.1, to: &objects)) }
            let kind = classNumber("NSDictionary")
            objects.append(
                .dictionary([("NS.keys", .array(keys)), ("NS.objects", .array(values)), ("$class", .identifier(kind))])
            )
        }
        return objects.count - 1
    }

    /// A binary property list, version 00.
    static func propertyList(_ root: Node) -> [UInt8] {
        var encoded: [[UInt8]] = []
        func place(_ node: Node) -> Int {
            let number = encoded.count
            encoded.append([])
            switch node {
            case .bool(let value): encoded[number] = [value ? 0x09 : 0x08]
            case .integer(let value): encoded[number] = [0x13] + bytes(value, 8)
            case .identifier(let value): encoded[number] = [0x81] + bytes(value, 2)
            case .real(let value): encoded[number] = [0x23] + bytes(Int(bitPattern: UInt(value.bitPattern)), 8)
            case .data(let value): encoded[number] = head(0x40, value.count) + value
            case .string(let text) where text.utf8.allSatisfy { $0 < 0x80 }:
                encoded[number] = head(0x50, text.utf8.count) + Array(text.utf8)
            case .string(let text):
                let units = Array(text.utf16)
                encoded[number] = head(0x60, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            case .array(let nodes):
                let numbers = nodes.map(place)
                encoded[number] = head(0xA0, nodes.count) + numbers.flatMap { bytes($0, 2) }
            case .dictionary(let pairs):
                let keys = pairs.map { place(.string($0.0)) }
                let values = pairs.map { place($0.1) }
                encoded[number] = head(0xD0, pairs.count) + (keys + values).flatMap { bytes($0, 2) }
            }
            return number
        }
        _ = place(root)
        var list = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in encoded {
            offsets += bytes(list.count, 4)
            list += object
        }
        let table = list.count
        list += offsets
        list += [0, 0, 0, 0, 0, 0, 4, 2] + bytes(encoded.count, 8) + bytes(0, 8) + bytes(table, 8)
        return list
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + bytes(count, 4)
    }

    private static func bytes(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
