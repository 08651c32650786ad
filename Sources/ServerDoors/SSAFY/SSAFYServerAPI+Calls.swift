import HTTPTypes
public import OstiarySSAFY
import OstiaryServer

/// Profiles.
extension SSAFYServerAPI {
    /// Returns the profile of a member of this client, by `sub`.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the member's verification.
    ///   - id: The Mattermost account stored with the member, for which the profile is requested where the service does
    ///     not know the subject (404). Default: there is none.
    /// - Returns: The profile.
    /// - Throws: The errors of ``call(_:_:_:as:)``; `configuration` for an empty subject or an invalid identifier.
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

    /// Returns the profile of a Mattermost account.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``; `configuration` for an invalid identifier.
    public func profile(ofMattermostUser id: String) async throws(SignInError) -> SSAFYProfile {
        SSAFYProfile(
            try await call(.get, "/mattermost-users/\(try checked(id))/profile", as: .readProfiles),
            issuer: configuration.issuer
        )
    }

    /// Returns the profiles of up to 500 Mattermost accounts, as the service groups them.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``; `configuration` for no or more than 500 identifiers, or an invalid
    ///   one.
    public func profiles(ofMattermostUsers ids: [String]) async throws(SignInError) -> JSONObject {
        try await batch("/mattermost-users/profiles/batch", ids)
    }

    /// Returns whether up to 500 Mattermost accounts are still in use, as the service groups them.
    ///
    /// - Throws: The errors of ``profiles(ofMattermostUsers:)``.
    public func lifecycles(ofMattermostUsers ids: [String]) async throws(SignInError) -> JSONObject {
        try await batch("/mattermost-users/lifecycle/batch", ids)
    }

    /// Returns the Mattermost accounts with a user name, of a cohort where that is given.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``.
    public func mattermostUsers(named name: String, cohort: String? = nil) async throws(SignInError) -> JSONObject {
        var query = Parameters(["username": name])
        query["cohort"] = cohort
        return try await call(.get, "/mattermost-users?" + FormURLEncoding.encode(query), as: .lookUp)
    }

    /// Makes the service fetch the profile of a Mattermost account anew.
    ///
    /// - Throws: The errors of ``profile(ofMattermostUser:)``.
    public func synchronize(mattermostUser id: String) async throws(SignInError) -> JSONObject {
        try await call(.post, "/mattermost-users/\(try checked(id))/sync", JSONObject(), as: .synchronizeProfiles)
    }

    /// Returns the changes of profiles after a cursor.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the earlier response; `nil` for the beginning.
    ///   - limit: The number of changes, 1 to 100. Default 100.
    /// - Returns: The response as the service sends it: the changes and the next cursor.
    /// - Throws: The errors of ``call(_:_:_:as:)``.
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

    /// Returns an identifier that can stand in a path: `^[A-Za-z0-9._-]{3,64}$`.
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
    /// - Throws: The errors of ``call(_:_:_:as:)``.
    public func notify(_ notification: SSAFYNotification) async throws(SignInError) -> JSONObject {
        try await call(.post, "/notifications/mattermost", notification.members, as: .sendNotifications)
    }

    /// Sends up to 25 messages.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``; `configuration` for no or more than 25 messages.
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

    /// Returns the state of a message.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``.
    public func notification(_ id: String) async throws(SignInError) -> JSONObject {
        try await call(.get, "/notifications/\(escaped(id))", as: .readNotifications)
    }

    /// Returns the states of a campaign's messages.
    ///
    /// - Throws: The errors of ``call(_:_:_:as:)``.
    public func notifications(ofCampaign id: String) async throws(SignInError) -> JSONObject {
        let query = FormURLEncoding.encode(Parameters(["campaign_id": id]))
        return try await call(.get, "/notifications?" + query, as: .readNotifications)
    }
}
