/// An invalid member of the configuration.
public struct BackendConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The member, such as `store.port`; empty for the file as a whole.
    public let member: String
    /// The problem and its fix in one sentence, which never contains a secret.
    public let sentence: String

    /// Describes an invalid member.
    ///
    /// - Parameters:
    ///   - member: The member or variable.
    ///   - sentence: The problem and its fix, without a secret.
    public init(_ member: String, _ sentence: String) {
        self.member = member
        self.sentence = sentence
    }

    /// The member and the sentence.
    public var description: String { member.isEmpty ? sentence : "\(member): \(sentence)" }
}
