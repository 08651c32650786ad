import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

extension ZephrCall {
    /// Returns each requested entitlement, and whether the user has it.
    func challenge() -> ProviderResponse {
        withPerson { person, _ in
            guard let ids = json?["entitlementIds"]?.array?.compactMap(\.string) else {
                return .zephr("Bad request", .badRequest)
            }
            var answer = JSONObject()
            for id in ids { answer[id] = .bool(may(person, see: id)) }
            return .json(answer)
        }
    }

    /// One decision for each feature.
    func decideFeatures() -> ProviderResponse {
        guard let json, let features = json["features"]?.array?.compactMap(\.string) else {
            return .zephr("Bad request", .badRequest)
        }
        let reader = reader(of: json["session"]?.string)
        var answer = JSONObject()
        for feature in features {
            answer[feature] = ["allowed": .bool(reader.map { may($0, see: feature) } ?? false)]
        }
        return .json(answer)
    }

    /// Whether the site serves a page: everything below `/premium` requires the entitlement.
    func decideAccess() -> ProviderResponse {
        guard let json, let path = json["path"]?.string, path.hasPrefix("/") else {
            return .zephr("Bad request", .badRequest)
        }
        let reader = reader(of: json["session"]?.string)
        let isAllowed = !path.hasPrefix("/premium") || reader.map { may($0, see: "premium") } ?? false
        return .json([
            "status": isAllowed ? 200 : 402,
            "headers": ["X-Decision": isAllowed ? "allow" : "deny"],
            "body": isAllowed ? "" : "Subscribe to read on.",
        ])
    }

    private func may(_ person: ZephrUser, see entitlement: String) -> Bool {
        dialect.site.entitlements.contains(entitlement) || person.entitlements.contains(entitlement)
    }

    private func reader(of session: String?) -> ZephrUser? {
        guard let session else { return nil }
        return dialect.state.withLock { state in
            state.sessions[SecretDigest(session).text]?.emailAddress.flatMap { state[$0] }
        }
    }
}
