/// The reason a JSON text was rejected.
public enum JSONError: Error, Sendable, Hashable {
    /// The text is longer than ``JSONLimits/maximumBytes``.
    case tooLarge
    /// Arrays and objects are nested deeper than ``JSONLimits/maximumDepth``.
    case tooDeep
    /// There are more values than ``JSONLimits/maximumMembers``.
    case tooManyValues
    /// An object has this member twice. The name is cut to 64 characters. (RFC 8725 section 2.4, RFC 7515 section 4)
    case duplicateMember(String)
    /// A string is not well-formed UTF-8, or escapes a surrogate that has no partner.
    case notUTF8
    /// The text is JSON of another kind where an object is required.
    case notAnObject
    /// The text does not follow the grammar at this byte. (RFC 8259 section 2)
    case malformed(offset: Int)
}
