/// What is wrong in the configuration, and where.
public struct BackendConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The member, such as `store.port`; empty for the file as a whole.
    public let member: String
    /// What is wrong, in one sentence that names the fix; it never holds a secret.
    public let sentence: String

    init(_ member: String, _ sentence: String) {
        self.member = member
        self.sentence = sentence
    }

    /// The member and the sentence.
    public var description: String { member.isEmpty ? sentence : "\(member): \(sentence)" }
}
