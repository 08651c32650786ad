public import Ostiary

extension BlaizeClient {
    /// Returns the site's data about the user.
    public func getUserProfile(
        sessionId: Secret,
        completion: @escaping @MainActor @Sendable (Result<JSONObject, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in try await api.profile(try sendable(sessionId), of: nil) }
    }

    /// Changes the site's data about the user.
    ///
    /// - Parameters:
    ///   - sessionId: The user's session.
    ///   - attributes: The new attributes.
    ///   - merge: Whether the other attributes stay.
    ///   - completion: Receives the result, on the main actor.
    public func updateUserProfile(
        sessionId: Secret,
        attributes: JSONObject,
        merge: Bool = true,
        completion: @escaping @MainActor @Sendable (Result<Void, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            let update: ZephrSession.Update = merge ? .merging : .replacing
            try await api.updateProfile(try sendable(sessionId), of: nil, attributes, by: update)
        }
    }

    /// Returns one application's data about the user.
    public func getExtendedProfile(
        sessionId: Secret,
        appId: String,
        completion: @escaping @MainActor @Sendable (Result<JSONObject, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in try await api.profile(try sendable(sessionId), of: appId) }
    }

    /// Changes one application's data about the user.
    ///
    /// - Parameters:
    ///   - sessionId: The user's session.
    ///   - appId: The application.
    ///   - attributes: The new attributes.
    ///   - merge: Whether the other attributes stay.
    ///   - completion: Receives the result, on the main actor.
    public func updateExtendedProfile(
        sessionId: Secret,
        appId: String,
        attributes: JSONObject,
        merge: Bool = true,
        completion: @escaping @MainActor @Sendable (Result<Void, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            let update: ZephrSession.Update = merge ? .merging : .replacing
            try await api.updateProfile(try sendable(sessionId), of: appId, attributes, by: update)
        }
    }

    /// Returns whether the user has each of these entitlements.
    public func entitlementChallenge(
        sessionId: Secret,
        entitlementIds: [String],
        completion: @escaping @MainActor @Sendable (Result<[String: Bool], ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            try await api.entitlements(try sendable(sessionId), entitlementIds)
        }
    }

    /// Returns the site's decision about a page or a resource; advice only, since a device can display it anyway.
    public func accessDecision(
        sessionId: Secret,
        path: String,
        httpMethod: String = "GET",
        requestHeaders: [String: String] = [:],
        contentMetadata: JSONObject = [:],
        jwt: Secret? = nil,
        completion: @escaping @MainActor @Sendable (Result<ZephrAccessDecision, ZephrError>) -> Void
    ) {
        let request = ZephrAccessRequest(
            path: path,
            method: httpMethod,
            headers: requestHeaders,
            content: contentMetadata,
            jwt: jwt
        )
        run(completion) { (api) throws(ZephrError) in try await api.decideAccess(try sendable(sessionId), request) }
    }
}
