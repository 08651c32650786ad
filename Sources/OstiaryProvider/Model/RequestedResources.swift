import OstiaryJOSE
import OstiaryOAuth

/// The reason a resource is rejected.
struct InvalidTarget: Error {
    var sentence: String
    /// The change that makes the request right.
    var mend: String?
}

extension ProviderConfiguration {
    /// The resources that a request names (RFC 8707 section 2), each once; empty for none.
    ///
    /// - Throws: `invalid_target` for a text that is not an absolute URI without a fragment, and for an unknown
    ///   resource.
    func resources(named identifiers: [String]) throws(InvalidTarget) -> [ProviderResource] {
        var found: [ProviderResource] = []
        for identifier in identifiers {
            guard (try? ResourceIndicator(identifier)) != nil else {
                throw InvalidTarget(sentence: "A resource is not an absolute URI without a fragment.")
            }
            guard let resource = resources.first(where: { $0.identifier.utf8.elementsEqual(identifier.utf8) }) else {
                throw InvalidTarget(
                    sentence: "A resource is unknown here.",
                    mend: "Add it with --resource or to the configuration's resources: \(identifier.logged)"
                )
            }
            if !found.contains(resource) { found.append(resource) }
        }
        return found
    }
}

extension ProviderConfiguration {
    /// The resources that a token request names.
    func resources(in form: Parameters) throws(Refusal) -> [ProviderResource] {
        do throws(InvalidTarget) {
            return try resources(named: form.values(of: .resource))
        } catch {
            throw Refusal.json(.invalidTarget, error.sentence).mended(by: error.mend)
        }
    }
}

extension IssuedGrant {
    /// The resources that a token request names, if they are of this grant (RFC 8707 section 2.2).
    func resources(in form: Parameters, at configuration: ProviderConfiguration) throws(Refusal) -> [ProviderResource] {
        let asked = try configuration.resources(in: form)
        guard asked.allSatisfy({ resource in resources.contains { $0.utf8.elementsEqual(resource.identifier.utf8) } })
        else { throw .json(.invalidTarget, "A resource was not named in the authorization request.") }
        return asked
    }
}

extension TokenTarget {
    /// The scopes of a token: those of the allowed ones that one of its resources uses.
    func scopes(among allowed: [Scope]) -> [Scope] {
        guard !resources.isEmpty else { return allowed }
        return allowed.filter { scope in resources.contains { $0.scopes?.contains(scope) ?? true } }
    }
}

extension JSONValue {
    /// An array of strings.
    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}
