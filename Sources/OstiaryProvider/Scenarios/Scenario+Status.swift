import HTTPTypes

extension Scenario {
    /// Every request fails with a status before the provider does anything with it: a code, for one, stays unused.
    ///
    /// Its name is `status-` with the status, such as `status-503`.
    ///
    /// - Parameter status: 400 to 599. A response with 429 or 503 has `Retry-After: 1`.
    /// - Returns: `nil` for another status.
    public static func failing(with status: Int) -> Scenario? {
        guard (400...599).contains(status) else { return nil }
        return Scenario(name: "\(statusPrefix)\(status)") {
            $0.interruption = { _ in
                var response = ProviderResponse(
                    status: HTTPResponse.Status(code: status),
                    fields: [.cacheControl: "no-store"]
                )
                if status == 429 || status == 503 { response.fields[.retryAfter] = "1" }
                return response
            }
        }
    }

    /// The scenario with a name such as `status-503`; `nil` for any other name.
    static func failing(named name: String) -> Scenario? {
        guard name.hasPrefix(statusPrefix), name.utf8.count == statusPrefix.utf8.count + 3 else { return nil }
        return Int(name.dropFirst(statusPrefix.count)).flatMap(failing(with:))
    }

    private static let statusPrefix = "status-"
}
