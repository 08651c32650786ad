/// A fault in a configuration file, with its place.
public struct ProviderConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The member, such as `clients[0].redirect_uris[1]`; empty for the file as a whole.
    public let member: String
    /// The fault, in one sentence that names the fix.
    ///
    /// It never holds a secret.
    public let sentence: String

    init(_ member: String, _ sentence: String) {
        self.member = member
        self.sentence = sentence
    }

    /// The file; `nil` when the settings came from elsewhere, or when the sentence names it.
    public private(set) var file: String?

    /// The file, the member and the sentence.
    public var description: String {
        [file, member.isEmpty ? nil : member, sentence].compactMap(\.self).joined(separator: ": ")
    }

    /// The same fault, with the file that has it.
    func inFile(_ path: String) -> ProviderConfigurationError {
        var error = self
        error.file = path
        return error
    }
}
