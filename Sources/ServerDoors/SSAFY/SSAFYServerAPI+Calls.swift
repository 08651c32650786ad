import HTTPTypes
public import OstiarySSAFY
import OstiaryServer

/// Profiles.
extension SSAFYServerAPI {
    /// The profile of a member of this client, by `sub`.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the member's verification.
    ///   - id: The Mattermost account that was kept with it, for which is asked where the service does not know the subject (404).
    ///     Default: there is none.
    /// - Throws: As ``call(_:_:_:as:)``, and `configuration` for a subject that is empty and for an identifier that is none.
    public func profile(
        ofMember subject: String,
        orMattermostUser id: String? = nil
    ) async throws(SignInError) -> SSAFYProfile {
        guard !subject.isEmpty else { throw SignInError(.userInfo, .configuration("A subject is not empty.")) }
        let id = try id.map { id throws(SignInError) in try checked(id) }
        switch try await answer(.get, "/ssafy-members/\(escaped(subject))/profile", nil, as: .readProfiles) {
        case .found(let object): return SSAFYProfile(object, issuer: configuration.issuer)
        case .missing(let error):
            guard let id else { throw error }
            return try await profile(ofMattermostUser: id)
        }
    }

    /// The profile of a Mattermost account.
    ///
    /// - Throws: As ``call(_:_:_:as:)``, and `configuration` for an identifier that is none.
    public func profile(ofMattermostUser id: String) async throws(SignInError) -> SSAFYProfile {
        SSAFYProfile(
            try await call(.get, "/mattermost-users/\(try checked(id))/profile", as: .readProfiles),
            issuer: configuration.issuer
        )
    }

    /// The profiles of up to 500 Mattermost accounts, as the service groups them.
    ///
    /// - Throws: As ``call(_:_:_:as:)``, and `configuration` for none, more than 500, and an identifier that is none.
    public func profiles(ofMattermostUsers ids: [String]) async throws(SignInError) -> JSONObject {
        try await batch("/mattermost-users/profiles/batch", ids)
    }

    /// Whether up to 500 Mattermost accounts are still in use, as the service groups them.
    ///
    /// - Throws: As ``profiles(ofMattermostUsers:)``.
    public func lifecycles(ofMattermostUsers ids: [String]) async throws(SignInError) -> JSONObject {
        try await batch("/mattermost-users/lifecycle/batch", ids)
    }

    /// The Mattermost accounts with a name, of a cohort where that is given.
    ///
    /// - Throws: As ``call(_:_:_:as:)``.
    public func mattermostUsers(named name: String, cohort: String? = nil) async throws(SignInError) -> JSONObject {
        var query = Parameters(["username": name])
        query["cohort"] = cohort
        return try await call(.get, "/mattermost-users?" + FormURLEncoding.encode(query), as: .lookUp)
    }

    /// Has the service fetch the profile of a Mattermost account anew.
    ///
    /// - Throws: As ``profile(ofMattermostUser:)``.
    public func synchronize(mattermostUser id: String) async throws(SignInError) -> JSONObject {
        try await call(.post, "/mattermost-users/\(try checked(id))/sync", JSONObject(), as: .synchronizeProfiles)
    }

    /// What happened to profiles since a place in the list.
    ///
    /// - Parameters:
    ///   - cursor: The place, from the answer before; `nil` for the beginning.
    ///   - limit: How many, 1 to 100. Default 100.
    /// - Throws: As ``call(_:_:_:as:)``.
    public func profileEvents(after cursor: String? = nil, limit: Int = 100) async throws(SignInError) -> JSONObject {
        var query = Parameters(["limit": String(min(max(limit, 1), 100))])
        query["cursor"] = cursor
        return try await call(.get, "/profile-events?" + FormURLEncoding.encode(query), as: .readProfiles)
    }

    private func batch(_ path: String, _ ids: [String]) async throws(SignInError) -> JSONObject {
        guard (1...500).contains(ids.count) else {
            throw SignInError(.userInfo, .configuration("A batch has 1 to 500 accounts: ask in parts."))
        }
        var checkedIDs: [JSONValue] = []
        for id in ids { checkedIDs.append(.string(try checked(id))) }
        return try await call(.post, path, ["mattermost_user_ids": .array(checkedIDs)], as: .readProfiles)
    }

    /// An identifier that can stand in a path: `^[A-Za-z0-9._-]{3,64}$`.
    private func checked(_ id: String) throws(SignInError) -> String {
        let isIdentifier = id.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._-".utf8.contains($0)
            }
        }
        guard isIdentifier, (3...64).contains(id.utf8.count), !id.hasPrefix(".") else {
            throw SignInError(.userInfo, .configuration("A Mattermost identifier has 3 to 64 letters, digits and ._-"))
        }
        return id
    }

    private func escaped(_ text: String) -> String { FormURLEncoding.escape(text) }
}

/// Messages.
extension SSAFYServerAPI {
    /// Sends a message by Mattermost; the same idempotency key sends it once.
    ///
    /// - Throws: As ``call(_:_:_:as:)``.
    public func notify(_ notification: SSAFYNotification) async throws(SignInError) -> JSONObject {
        try await call(.post, "/notifications/mattermost", notification.members, as: .sendNotifications)
    }

    /// Sends up to 25 messages.
    ///
    /// - Throws: As ``call(_:_:_:as:)``, and `configuration` for none and for more than 25.
    public func notify(_ notifications: [SSAFYNotification]) async throws(SignInError) -> JSONObject {
        guard (1...25).contains(notifications.count) else {
            throw SignInError(.userInfo, .configuration("A batch has 1 to 25 messages: send them in parts."))
        }
        return try await call(
            .post,
            "/notifications/mattermost/batch",
            ["notifications": .array(notifications.map { .object($0.members) })],
            as: .sendNotifications
        )
    }

    /// What became of a message.
    ///
    /// - Throws: As ``call(_:_:_:as:)``.
    public func notification(_ id: String) async throws(SignInError) -> JSONObject {
        try await call(.get, "/notifications/\(escaped(id))", as: .readNotifications)
    }

    /// What became of the messages of a campaign.
    ///
    /// - Throws: As ``call(_:_:_:as:)``.
    public func notifications(ofCampaign id: String) async throws(SignInError) -> JSONObject {
        let query = FormURLEncoding.encode(Parameters(["campaign_id": id]))
        return try await call(.get, "/notifications?" + query, as: .readNotifications)
    }
}
