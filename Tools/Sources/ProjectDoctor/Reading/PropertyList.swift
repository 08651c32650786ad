/// A value of a property list, and the line on which it starts.
///
/// Read by readers of our own: Apple's are not on Linux with line numbers, resolve entities, and follow the references
/// of a binary list as often as it likes.
package struct PropertyList: Sendable, Hashable {
    package indirect enum Content: Sendable, Hashable {
        case dictionary([Member])
        case array([PropertyList])
        case string(String)
        case integer(Int)
        case bool(Bool)
        /// A date, data or a number with a fraction, which no rule reads.
        case other
    }

    package struct Member: Sendable, Hashable {
        package let key: String
        package let line: Int?
        package let value: PropertyList
    }

    package let content: Content
    /// From 1; `nil` where the format has no lines.
    package let line: Int?

    package init(_ content: Content, line: Int? = nil) {
        self.content = content
        self.line = line
    }

    /// Reads a list in any of the three formats.
    ///
    /// - Throws: `PropertyListError`, with the fault and its line.
    package init(reading bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits()) throws(PropertyListError) {
        guard bytes.count <= limits.bytes else { throw PropertyListError(.tooLarge) }
        if bytes.starts(with: "bplist".utf8) {
            self = try BinaryPropertyListReader.read(bytes, limits)
        } else if bytes.first(where: { !$0.isWhitespace && $0 < 0x80 }) == UInt8(ascii: "<") {
            self = try XMLPropertyListReader.read(bytes, limits)
        } else {
            self = try TextPropertyListReader.read(bytes, limits)
        }
    }
}

extension PropertyList {
    package var members: [Member] { if case .dictionary(let members) = content { members } else { [] } }
    package var elements: [PropertyList]? { if case .array(let elements) = content { elements } else { nil } }
    package var string: String? { if case .string(let string) = content { string } else { nil } }
    package var isDictionary: Bool { if case .dictionary = content { true } else { false } }

    /// True, also as the build settings and old lists write it.
    package var isTrue: Bool {
        switch content {
        case .bool(let value): value
        case .integer(let value): value == 1
        case .string(let text): text.isYes
        default: false
        }
    }

    package func member(_ key: String) -> Member? { members.first { $0.key.isSame(as: key) } }
    package subscript(_ key: String) -> PropertyList? { member(key)?.value }

    /// The strings of an array, each with its line.
    package var strings: [(text: String, line: Int?)] {
        (elements ?? []).compactMap { element in element.string.map { ($0, element.line) } }
    }
}

extension String {
    /// Whether both are the same bytes; `==` takes canonically equivalent texts for the same.
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
    /// Whether the value means true in a build setting.
    var isYes: Bool { ["yes", "true", "1"].contains(lowercased()) }
}

extension UInt8 {
    var isWhitespace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    var isNewline: Bool { self == 0x0A }
}
