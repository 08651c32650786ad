/// A JSON object: members in order, each name once. (RFC 8259 section 4)
///
/// Parsed text with a repeated name is refused, at every depth: two parsers that keep different ones would see two
/// different tokens. (RFC 7519 section 4)
public struct JSONObject: Sendable {
    private var content: Content

    private enum Content: Sendable {
        /// Every member as a value.
        case members(MemberList)
        /// A text that was parsed, whose strings are made at their first use.
        case text(JSONText)
    }

    /// Objects up to this size are searched member by member.
    static let linearLimit = 24

    /// An empty object.
    public init() { content = .members(MemberList()) }

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

    init(_ members: MemberList) { content = .members(members) }

    init(_ text: JSONText) { content = .text(text) }

    init(_ members: [(String, JSONValue)]) {
        self.init()
        for (name, value) in members { self[name] = value }
    }

    /// The value of a member; setting `nil` removes it, and a new name is added at the end.
    ///
    /// Reading compares names code point by code point.
    public subscript(_ name: String) -> JSONValue? {
        get { self[MemberName(name)] }
        set {
            var list = list
            // The old content is let go first, so that the list is changed in place.
            content = .members(MemberList())
            list[name] = newValue
            content = .members(list)
        }
    }

    /// The value of a member.
    subscript(_ name: MemberName) -> JSONValue? {
        switch content {
        case .members(let list): list.value(of: name)
        case .text(let text): text[name]
        }
    }

    /// The names, in order.
    public var names: [String] {
        switch content {
        case .members(let list): list.storage.map { $0.name }
        case .text(let text): text.names
        }
    }

    /// The members, in order.
    public var members: [(name: String, value: JSONValue)] { list.storage.map { ($0.name, $0.value) } }

    /// An object of these members, in this order, as far as they are there.
    func members(named names: [String]) -> JSONObject {
        var list = MemberList(capacity: names.count)
        for name in names { if let value = self[name] { _ = list.append(name, value) } }
        return JSONObject(list)
    }

    /// The number of members.
    public var count: Int {
        switch content {
        case .members(let list): list.storage.count
        case .text(let text): text.count
        }
    }

    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }

    /// The object as compact JSON in UTF-8, members in order.
    ///
    /// A number that JSON cannot write, infinity or not-a-number, becomes `null`.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    /// Every member as a value.
    var list: MemberList {
        switch content {
        case .members(let list): list
        case .text(let text): text.members
        }
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
        first.count == second.count && first.list.storage.allSatisfy { second[$0.name] == $0.value }
    }

    /// Feeds the members to the hasher, whatever their order.
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for member in list.storage {
            var one = Hasher()
            one.combine(CodePoints(member.name))
            one.combine(member.value)
            combined ^= one.finalize()
        }
        hasher.combine(combined)
    }
}

// Embedded Swift, as scripts/check-32-bit.sh uses it, has no reflection.
#if !hasFeature(Embedded)
    extension JSONObject: CustomStringConvertible, CustomReflectable {
        /// The names of the members; their values may be about a user.
        public var description: String { "JSONObject(\(names.map(\.debugDescription).joined(separator: ", ")))" }
        /// The names of the members.
        public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
    }
#endif
