/// A JSON object: members in order, each name once. (RFC 8259 section 4)
///
/// Parsed text with a repeated name is refused, at every depth: two parsers that keep different ones would see two
/// different tokens. (RFC 7519 section 4)
public struct JSONObject: Sendable {
    var storage: [Member]
    /// The position of every name, kept once a search through `storage` would be slower.
    private var index: [CodePoints: Int]?

    struct Member: Sendable {
        let name: String
        var value: JSONValue
        /// Differs for most different names, so that a search compares numbers and few strings.
        let fingerprint: UInt64

        init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
            fingerprint = Self.fingerprint(of: name)
        }

        /// FNV-1a; names that are made to collide cost no more than the comparison of strings that it saves.
        static func fingerprint(of name: String) -> UInt64 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            return hash
        }
    }

    /// Objects up to this size are searched member by member.
    static let linearLimit = 24

    /// An empty object.
    public init() {
        storage = []
    }

    /// Reads an object from a JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The whole text: one object, with nothing but white space around it and no byte order mark.
    ///   - limits: Size, depth and number of values.
    /// - Throws: ``JSONError`` when the text is not exactly one object, is beyond a limit, repeats a member name or
    ///   holds a string that is not well-formed Unicode.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONParser.object(in: bytes, limits: limits)
    }

    /// An object of members whose names are known to differ.
    init(unique members: [Member], index: [CodePoints: Int]?) {
        storage = members
        self.index = index
    }

    init(_ members: [(String, JSONValue)]) {
        self.init()
        storage.reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// The value of a member; setting `nil` removes it, and a new name is added at the end.
    ///
    /// Reading compares names code point by code point.
    public subscript(_ name: String) -> JSONValue? {
        get {
            guard let position = position(of: name) else { return nil }
            return storage[position].value
        }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?):
                storage[position].value = value
            case (let position?, nil):
                storage.remove(at: position)
                index = nil
                indexIfLarge()
            case (nil, let value?):
                index?[CodePoints(name)] = storage.count
                storage.append(Member(name: name, value: value))
                indexIfLarge()
            case (nil, nil):
                break
            }
        }
    }

    /// The names, in order.
    public var names: [String] { storage.map(\.name) }

    /// The members, in order.
    public var members: [(name: String, value: JSONValue)] { storage.map { ($0.name, $0.value) } }

    /// How many members there are.
    public var count: Int { storage.count }

    /// Whether there are no members.
    public var isEmpty: Bool { storage.isEmpty }

    /// The object as compact JSON in UTF-8, members in order.
    ///
    /// A number that JSON cannot write, infinity or not-a-number, becomes `null`.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    private func position(of name: String) -> Int? {
        if let index { return index[CodePoints(name)] }
        return storage.position(of: name, fingerprint: Member.fingerprint(of: name))
    }

    private mutating func indexIfLarge() {
        guard index == nil, storage.count > Self.linearLimit else { return }
        index = Dictionary(uniqueKeysWithValues: storage.enumerated().map { (CodePoints($1.name), $0) })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object, written as a Swift literal; of a repeated name the last value stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in any order.
    public static func == (first: JSONObject, second: JSONObject) -> Bool {
        first.count == second.count && first.storage.allSatisfy { second[$0.name] == $0.value }
    }

    /// Feeds the members to the hasher, whatever their order.
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for member in storage {
            var one = Hasher()
            one.combine(CodePoints(member.name))
            one.combine(member.value)
            combined ^= one.finalize()
        }
        hasher.combine(combined)
    }
}

extension [JSONObject.Member] {
    /// The position of a name, searched member by member.
    func position(of name: String, fingerprint: UInt64) -> Int? {
        for position in indices where self[position].fingerprint == fingerprint {
            if self[position].name.hasSameCodePoints(as: name) { return position }
        }
        return nil
    }
}
