public import Foundation
import OstiaryOAuth

/// The parameters of a URL's query, as forms encode them (RFC 6749 appendix B).
///
/// Nothing is checked: a redirect goes to the flow that waits for it, which compares `state` and `iss`.
public final class OIDURLQueryComponent: NSObject {
    /// The names of the parameters, in the order in which they were first added.
    public private(set) var parameters: [String] = []
    private var values: [String: [String]] = [:]

    /// Makes a query without parameters.
    override public init() {}

    /// Reads the query of a URL; a plus sign is a space.
    ///
    /// - Returns: `nil` for a query whose percent signs do not encode UTF-8.
    public init?(url: URL) {
        guard let decoded = FormURLEncoding.decode(url.query(percentEncoded: true) ?? "") else { return nil }
        super.init()
        for pair in decoded.pairs { addParameter(pair.name.rawValue, value: pair.value) }
    }

    /// The values by name: a text, or an array of texts for a name that was added several times.
    public var dictionaryValue: [String: any NSObject & NSCopying] {
        values.mapValues { texts -> any NSObject & NSCopying in
            let values = texts.map { NSString(string: $0) }
            if values.count == 1 { return values[0] }
            return NSArray(array: values)
        }
    }

    /// The values of a name, in the order in which they were added; empty for a name that was not added.
    public func values(forParameter parameter: String) -> [String] { values[parameter] ?? [] }

    /// Adds a value behind those of the same name.
    public func addParameter(_ parameter: String, value: String) {
        if values[parameter] == nil { parameters.append(parameter) }
        values[parameter, default: []].append(value)
    }

    /// Adds a value for each name, in the order of the names.
    public func addParameters(_ parameters: [String: String]) {
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { addParameter(name, value: value) }
    }

    /// Returns a URL with these parameters in place of its own query.
    public func urlByReplacingQuery(in url: URL) -> URL {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        components?.percentEncodedQuery = urlEncodedParameters()
        return components?.url ?? url
    }

    /// The parameters as a form encodes them; a space becomes `%20`.
    public func urlEncodedParameters() -> String {
        parameters.flatMap { name in
            values(forParameter: name).map { FormURLEncoding.escape(name) + "=" + FormURLEncoding.escape($0) }
        }
        .joined(separator: "&")
    }

    /// The names; no value.
    override public var description: String { "OIDURLQueryComponent(\(parameters.joined(separator: ", ")))" }
}

extension OIDURLQueryComponent: CustomReflectable {
    /// The names.
    public var customMirror: Mirror { Mirror(self, children: ["query": description]) }
}
