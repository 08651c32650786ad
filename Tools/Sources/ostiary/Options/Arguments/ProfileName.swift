import ArgumentParser

/// The name of a profile: letters, digits, dots, hyphens and underscores, so that it can stand in any path or script.
struct ProfileName: Hashable, Sendable, CustomStringConvertible {
    /// The default profile.
    static let standard = ProfileName(description: "default")

    /// The form of a name.
    static let rule = "letters, digits, dots, hyphens and underscores, at most 100."

    let description: String

    /// Reads a name.
    @Sendable static func named(_ text: String) throws -> ProfileName {
        guard let name = ProfileName(argument: text) else { throw ValidationError("A profile's name has \(rule)") }
        return name
    }
}

extension ProfileName: ExpressibleByArgument {
    init?(argument: String) {
        guard !argument.isEmpty, argument.utf8.count <= 100,
            argument.utf8.allSatisfy({ byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "._-".utf8.contains(byte)
            })
        else { return nil }
        description = argument
    }
}
