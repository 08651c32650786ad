public import HTTPTypes
import OstiaryCompatibility
package import OstiaryOAuth

/// One HTTP request to the provider, as a value; a socket server or a test makes it.
public struct ProviderRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The path as it was sent, without the query.
    public var path: String
    /// The query as it was sent, without the question mark; `nil` for none.
    public var query: String?
    /// The header fields.
    public var fields: HTTPFields
    /// The body; empty for none.
    public var body: [UInt8]
    /// The reports of this request, for the administration; `nil` where there is none.
    var reports: RequestReports?

    /// Makes a request.
    public init(
        method: HTTPRequest.Method = .get,
        path: String,
        query: String? = nil,
        fields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }
}

extension ProviderRequest {
    /// The largest body that is read, in bytes.
    package static let maximumBodyBytes = 65_536
    /// The longest query that is read, in bytes.
    static let maximumQueryBytes = 16_384

    /// The query's parameters; `nil` when they cannot be read.
    package var queryParameters: Parameters? {
        FormURLEncoding.decode(query ?? "", maximumBytes: Self.maximumQueryBytes)
    }

    /// The form's parameters; `nil` when the body is not a form, or cannot be read.
    ///
    /// The media type must be that of a form, so that no page of another origin can send one as `text/plain`.
    package var formParameters: Parameters? {
        guard let type = fields[.contentType] else { return nil }
        let parts = type.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.filter { $0 != " " }.lowercased()
        }
        guard parts.first == "application/x-www-form-urlencoded",
            parts.dropFirst().allSatisfy({ $0 == "charset=utf-8" }),
            let text = String(utf8: body)
        else { return nil }
        return FormURLEncoding.decode(text, maximumBytes: Self.maximumBodyBytes)
    }

    /// The value of a cookie; `nil` for none, and for several of one name, of which one may be planted.
    package func cookie(_ name: String) -> String? {
        let values = fields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
        return values.count == 1 ? values[0] : nil
    }
}

extension Parameters {
    /// The parameters that have a value: one without is treated as omitted (RFC 6749 sections 3.1 and 3.2).
    ///
    /// A repeated parameter stays, so that ``repetition`` still finds it.
    var omittingEmptyValues: Parameters {
        var kept = Parameters()
        for pair in pairs where !pair.value.isEmpty || values(of: pair.name).count > 1 {
            kept.append(pair.value, for: pair.name)
        }
        return kept
    }

    /// The parameters that may be repeated (RFC 8707 section 2, RFC 8693 section 2.1).
    private static let repeatable: Set<Name> = [.resource, .audience]

    /// The explanation of a repeated parameter; `nil` when there is none (RFC 6749 section 3.1).
    ///
    /// It names the parameter only when an endpoint knows it: any other name may be the rest of a secret that was sent
    /// without escapes, or text for the readers of the log and the page.
    package var repetition: String? {
        let repeated = names.filter { isRepeated($0) }
        guard !repeated.isEmpty else { return nil }
        let known = repeated.first { RecordedParameter.named($0.rawValue) != nil }
        return known.map { "A parameter is repeated: \($0.rawValue)." } ?? "A parameter is repeated."
    }

    private func isRepeated(_ name: Name) -> Bool { values(of: name).count > 1 && !Self.repeatable.contains(name) }
}

extension ProviderRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path; never the query, the fields or the body, which may hold secrets.
    public var description: String { "\(method.rawValue) \(path)" }
    /// The method and the path.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
