/// Reads the output of `NSKeyedArchiver` without instantiating an object: a dictionary of an object's members, its
/// strings, and the dictionaries among them.
///
/// An archive may name any class; here a name is text, and is not looked at.
struct KeyedArchive {
    private let list: BinaryPropertyList
    private let objects: [BinaryPropertyList.Reference]
    private let rootObject: BinaryPropertyList.Reference

    /// - Returns: `nil` for anything that is not a keyed archive.
    init?(_ bytes: [UInt8]) {
        guard let list = BinaryPropertyList(bytes), let top = Self.members(of: list.top, in: list),
            let archiver = top["$archiver"].flatMap({ list[$0] }), case .string("NSKeyedArchiver") = archiver,
            let all = top["$objects"].flatMap({ list[$0] }), case .array(let objects) = all,
            let named = top["$top"].flatMap({ Self.members(of: $0, in: list) }),
            let root = named["root"] ?? named["object"], case .identifier(let number)? = list[root],
            objects.indices.contains(number)
        else { return nil }
        self.list = list
        self.objects = objects
        rootObject = objects[number]
    }

    /// The archived object.
    var root: Value? { Value(archive: self, reference: rootObject) }

    /// One archived object.
    struct Value {
        fileprivate let archive: KeyedArchive
        fileprivate let reference: BinaryPropertyList.Reference

        /// A member that the object encoded under a key, or an entry of an archived dictionary; `nil` for none.
        subscript(_ key: String) -> Value? {
            guard let members = KeyedArchive.members(of: reference, in: archive.list) else { return nil }
            if let member = members[key] { return archive.value(member) }
            guard let keys = members["NS.keys"].flatMap({ archive.list[$0] }), case .array(let keys) = keys,
                let values = members["NS.objects"].flatMap({ archive.list[$0] }), case .array(let values) = values,
                keys.count == values.count
            else { return nil }
            let place = keys.firstIndex { archive.value($0)?.string.map { $0.utf8.elementsEqual(key.utf8) } ?? false }
            return place.flatMap { archive.value(values[$0]) }
        }

        /// The text of a string, and of a URL that is not relative.
        var string: String? {
            switch archive.list[reference] {
            case .string(let text): return text == "$null" ? nil : text
            case .dictionary:
                guard let members = KeyedArchive.members(of: reference, in: archive.list) else { return nil }
                let text = members["NS.string"] ?? members["NS.relative"]
                guard let text, case .string(let found)? = archive.dereferenced(text) else { return nil }
                return found
            default: return nil
            }
        }

        /// The time of a date, in seconds since 1970; an archive counts from the beginning of 2001.
        var secondsSince1970: Double? {
            guard let time = KeyedArchive.members(of: reference, in: archive.list)?["NS.time"] else { return nil }
            switch archive.list[time] {
            case .real(let seconds): return seconds + 978_307_200
            case .integer(let seconds): return Double(seconds) + 978_307_200
            default: return nil
            }
        }

        /// Whether anything is there: an archive writes `$null` for nothing.
        var isSomething: Bool {
            if case .string("$null")? = archive.list[reference] { return false }
            return true
        }
    }

    private func value(_ reference: BinaryPropertyList.Reference) -> Value? {
        guard case .identifier(let number)? = list[reference] else { return Value(archive: self, reference: reference) }
        guard objects.indices.contains(number) else { return nil }
        return Value(archive: self, reference: objects[number])
    }

    private func dereferenced(_ reference: BinaryPropertyList.Reference) -> BinaryPropertyList.Object? {
        value(reference).flatMap { list[$0.reference] }
    }

    private static func members(
        of reference: BinaryPropertyList.Reference,
        in list: BinaryPropertyList
    ) -> [String: BinaryPropertyList.Reference]? {
        guard case .dictionary(let pairs)? = list[reference] else { return nil }
        var members: [String: BinaryPropertyList.Reference] = [:]
        for pair in pairs {
            guard case .string(let name)? = list[pair.key] else { continue }
            members[name] = pair.value
        }
        return members
    }
}
