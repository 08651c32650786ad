import OstiaryJOSE

/// A value of a configuration file that knows where it stands.
struct ConfigurationMember {
    let path: String
    let value: JSONValue

    func wrong(_ sentence: String) -> ProviderConfigurationError { ProviderConfigurationError(path, sentence) }

    func string() throws(ProviderConfigurationError) -> String {
        guard let string = value.string else { throw wrong("This has to be a string.") }
        guard !string.isEmpty else { throw wrong("This must not be empty.") }
        return string
    }

    func bool() throws(ProviderConfigurationError) -> Bool {
        guard let bool = value.bool else { throw wrong("This has to be true or false.") }
        return bool
    }

    func integer(in range: ClosedRange<Int>) throws(ProviderConfigurationError) -> Int {
        guard let integer = value.integer, range.contains(integer) else {
            throw wrong("This has to be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return integer
    }

    func elements() throws(ProviderConfigurationError) -> [ConfigurationMember] {
        guard let array = value.array else { throw wrong("This has to be an array.") }
        return array.enumerated().map { ConfigurationMember(path: "\(path)[\($0)]", value: $1) }
    }

    /// Reads an object whose members are all known: a misspelled one would otherwise be a setting that does nothing.
    func object(of names: [String]) throws(ProviderConfigurationError) -> ConfigurationObject {
        guard let object = value.object else { throw wrong("This has to be an object.") }
        if let unknown = object.names.first(where: { !names.contains($0) }) {
            throw ProviderConfigurationError(
                path.isEmpty ? unknown : "\(path).\(unknown)",
                "There is no such setting. Known here: \(names.joined(separator: ", "))."
            )
        }
        return ConfigurationObject(path: path, object: object)
    }
}

/// An object of a configuration file.
struct ConfigurationObject {
    let path: String
    let object: JSONObject

    /// A member that may be absent.
    subscript(_ name: String) -> ConfigurationMember? {
        object[name].map { ConfigurationMember(path: path.isEmpty ? name : "\(path).\(name)", value: $0) }
    }

    /// Returns a required member.
    func required(_ name: String) throws(ProviderConfigurationError) -> ConfigurationMember {
        guard let member = self[name] else {
            throw ProviderConfigurationError(path.isEmpty ? name : "\(path).\(name)", "This is missing.")
        }
        return member
    }
}
