/// The limits of a property list.
package struct PropertyListLimits: Sendable {
    package var bytes: Int
    package var depth: Int
    package var values: Int

    /// Makes limits that exceed the needs of an app's files many times over.
    package init(bytes: Int = 1_048_576, depth: Int = 24, values: Int = 20_000) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }

    /// The limits for the project file of a large app.
    package static let projectFile = PropertyListLimits(bytes: 16_777_216, depth: 24, values: 1_000_000)
}

/// The reason a property list cannot be read.
package struct PropertyListError: Error, Sendable, Hashable {
    package enum Reason: String, Sendable {
        case tooLarge = "is too large"
        case tooDeep = "is nested too deeply"
        case notUTF8 = "is not UTF-8"
        case declarations = "declares entities"
        case malformed = "is not a well-formed property list"
    }

    package let reason: Reason
    package let line: Int?

    package init(_ reason: Reason, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }
}

/// Counts the values of a reader, so that no list grows beyond its limits.
struct PropertyListBudget {
    private let limits: PropertyListLimits
    private var values = 0

    init(_ limits: PropertyListLimits) { self.limits = limits }

    mutating func spend(at depth: Int, line: Int? = nil) throws(PropertyListError) {
        values += 1
        guard values <= limits.values else { throw PropertyListError(.tooLarge, line: line) }
        guard depth <= limits.depth else { throw PropertyListError(.tooDeep, line: line) }
    }
}
