import OstiaryJOSE

/// As much of JSON Schema as the schemas of the documentation use.
struct JSONSchema {
    private let schema: JSONObject

    init(_ schema: JSONObject) { self.schema = schema }

    /// The places at which a value violates the schema.
    func violations(of value: JSONValue, at path: String = "$") -> [String] {
        if let reference = schema["$ref"]?.string { return ["\(path): \(reference) is not followed"] }
        var violations: [String] = []
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap(\.self)
        if !types.isEmpty, !types.contains(value.typeName) { violations.append("\(path): is \(value.typeName)") }
        if let values = schema["enum"]?.array, !values.contains(value) { violations.append("\(path): is not in enum") }
        if let constant = schema["const"], constant != value { violations.append("\(path): is not the constant") }
        if let minimum = schema["minimum"]?.integer, let number = value.integer, number < minimum {
            violations.append("\(path): is too small")
        }
        if let items = schema["items"]?.object, let elements = value.array {
            for (index, element) in elements.enumerated() {
                violations += JSONSchema(items).violations(of: element, at: "\(path)[\(index)]")
            }
        }
        if let object = value.object { violations += self.violations(ofMembers: object, at: path) }
        return violations
    }

    private func violations(ofMembers object: JSONObject, at path: String) -> [String] {
        let properties = schema["properties"]?.object ?? [:]
        var violations = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
            .map { "\(path).\($0): is missing" }
        for (name, value) in object.members {
            if let property = properties[name]?.object {
                violations += JSONSchema(property).violations(of: value, at: "\(path).\(name)")
            } else if schema["additionalProperties"]?.bool == false {
                violations.append("\(path).\(name): is not described")
            }
        }
        return violations
    }
}

extension JSONValue {
    fileprivate var typeName: String {
        if isNull { return "null" }
        if bool != nil { return "boolean" }
        if integer != nil { return "integer" }
        if string != nil { return "string" }
        return array != nil ? "array" : object != nil ? "object" : "number"
    }
}
