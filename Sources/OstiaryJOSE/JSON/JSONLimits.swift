/// The limits beyond which a JSON text is rejected.
///
/// The text is untrusted, so its size, depth and number of values are bounded before work is done.
public struct JSONLimits: Sendable, Hashable {
    /// Bytes of the whole text.
    public var maximumBytes: Int
    /// Levels of nested arrays and objects, the outermost object being level 1; values above 128 count as 128.
    public var maximumDepth: Int
    /// Values in the whole text, counting every member, element and the outermost object.
    public var maximumMembers: Int

    /// Limits that fit every token and key set seen in the field.
    ///
    /// - Parameters:
    ///   - maximumBytes: Bytes of the whole text. Default 262,144.
    ///   - maximumDepth: Levels of nesting, at most 128, so that no text can exhaust the stack. Default 16.
    ///   - maximumMembers: Values in the whole text. Default 10,000.
    public init(maximumBytes: Int = 262_144, maximumDepth: Int = 16, maximumMembers: Int = 10_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
    }
}
