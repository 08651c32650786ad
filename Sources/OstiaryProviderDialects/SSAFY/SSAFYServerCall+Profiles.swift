import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

// Members, their Mattermost accounts, and what happens to them.
extension SSAFYServerCall {
    /// The number of accounts in one request.
    private static let batch = 500

    /// The profile of a member of this client; nested.
    func memberProfile(_ subject: String) throws(SSAFYRefusal) -> JSONObject {
        guard let person = member(subject) else { throw SSAFYRefusal(.memberNotFound) }
        return ["profile": .object(profile(of: person))]
    }

    /// The profile of an account; flat.
    func mattermostProfile(_ id: String) throws(SSAFYRefusal) -> JSONObject {
        profile(of: try account(id))
    }

    func profiles() throws(SSAFYRefusal) -> JSONObject {
        let ids = try ids()
        let found = ids.compactMap { id in person(id).map { JSONValue.object(profile(of: $0)) } }
        return ["profiles": .array(found), "missing": .array(ids.filter { person($0) == nil }.map(JSONValue.string))]
    }

    func lifecycles() throws(SSAFYRefusal) -> JSONObject {
        let users = try ids().map { id in
            JSONValue.object([
                "mattermost_user_id": .string(id), "status": person(id) == nil ? "unknown" : "active",
            ])
        }
        return ["users": .array(users)]
    }

    func lookUp() throws(SSAFYRefusal) -> JSONObject {
        let query = try query(["username", "cohort"])
        guard let name = query["username"], !name.isEmpty else { throw SSAFYRefusal(.invalidRequest) }
        let found = provider.users.filter { person in
            isMember(person) && person.name.utf8.elementsEqual(name.utf8)
                && (query["cohort"] == nil || person.claims["ssafy_cohort"]?.string == query["cohort"])
        }
        let users = found.map { person in
            JSONValue.object([
                "mattermost_user_id": person.claims["ssafy_mattermost_user_id"] ?? .null,
                "username": .string(person.name), "cohort": person.claims["ssafy_cohort"] ?? .null,
            ])
        }
        return ["users": .array(users)]
    }

    /// There is nothing to fetch here, so it is an event alone.
    func synchronize(_ id: String) throws(SSAFYRefusal) -> JSONObject {
        let person = try account(id)
        let event: JSONObject = [
            "id": .string(provider.random.identifier()), "type": "profile.synchronized",
            "mattermost_user_id": .string(id), "occurred_at": .integer(provider.now.numericDate),
        ]
        dialect.server.withLock { $0.add(event: event) }
        return ["profile": .object(profile(of: person))]
    }

    func events() throws(SSAFYRefusal) -> JSONObject {
        let query = try query(["cursor", "limit"])
        guard let limit = Int(query["limit"] ?? "100"), (1...100).contains(limit),
            let cursor = Int(query["cursor"] ?? "0"), cursor >= 0
        else { throw SSAFYRefusal(.invalidRequest) }
        let (events, first) = dialect.server.withLock { ($0.events, $0.firstEvent) }
        let start = min(max(cursor - first, 0), events.count)
        let page = events[start...].prefix(limit)
        return [
            "events": .array(page.map(JSONValue.object)),
            "next_cursor": .string(String(first + start + page.count)),
            "has_more": .bool(start + page.count < events.count),
        ]
    }

    /// Returns the member with this client's identifier.
    func member(_ subject: String) -> ProviderUser? {
        provider.users.first { person in
            isMember(person)
                && SSAFYRedemption.subject(of: person, at: clientID).utf8.elementsEqual(subject.utf8)
        }
    }

    /// Returns the member with an account.
    func person(_ id: String) -> ProviderUser? {
        provider.users.first { isMember($0) && $0.claims["ssafy_mattermost_user_id"] == .string(id) }
    }

    private func account(_ id: String) throws(SSAFYRefusal) -> ProviderUser {
        guard Self.isIdentifier(id) else { throw SSAFYRefusal(.invalidRequest) }
        guard let person = person(id) else { throw SSAFYRefusal(.profileNotFound) }
        return person
    }

    private func isMember(_ person: ProviderUser) -> Bool { person.claims["ssafy_cohort"]?.string != nil }

    private func profile(of person: ProviderUser) -> JSONObject {
        var profile = person.claims
        profile["sub"] = .string(SSAFYRedemption.subject(of: person, at: clientID))
        return profile
    }

    private func ids() throws(SSAFYRefusal) -> [String] {
        let body = try body()
        let ids = body["mattermost_user_ids"]?.array?.compactMap(\.string) ?? []
        guard body.names == ["mattermost_user_ids"], (1...Self.batch).contains(ids.count),
            ids.count == body["mattermost_user_ids"]?.array?.count, ids.allSatisfy(Self.isIdentifier)
        else { throw SSAFYRefusal(.invalidRequest) }
        return ids
    }

    private static func isIdentifier(_ id: String) -> Bool {
        let isPlain = id.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._-".utf8.contains($0)
            }
        }
        return isPlain && (3...64).contains(id.utf8.count)
    }
}
