public import Ostiary

extension BlaizeClient {
    /// What the site keeps about the person.
    public func getUserProfile(
        sessionId: Secret,
        completion: @escaping @Sendable (Result<JSONObject, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in try await api.profile(try sendable(sessionId), of: nil) }
    }

    /// Changes what the site keeps about the person.
    ///
    /// - Parameter merge: Whether what is not given stays.
    public func updateUserProfile(
        sessionId: Secret,
        attributes: JSONObject,
        merge: Bool = true,
        completion: @escaping @Sendable (Result<Void, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            let update: ZephrSession.Update = merge ? .merging : .replacing
            try await api.updateProfile(try sendable(sessionId), of: nil, attributes, by: update)
        }
    }

    /// What one application keeps about the person.
    public func getExtendedProfile(
        sessionId: Secret,
        appId: String,
        completion: @escaping @Sendable (Result<JSONObject, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in try await api.profile(try sendable(sessionId), of: appId) }
    }

    /// Changes what one application keeps about the person.
    ///
    /// - Parameter merge: Whether what is not given stays.
    public func updateExtendedProfile(
        sessionId: Secret,
        appId: String,
        attributes: JSONObject,
        merge: Bool = true,
        completion: @escaping @Sendable (Result<Void, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            let update: ZephrSession.Update = merge ? .merging : .replacing
            try await api.updateProfile(try sendable(sessionId), of: appId, attributes, by: update)
        }
    }

    /// Which of these entitlements the person has.
    public func entitlementChallenge(
        sessionId: Secret,
        entitlementIds: [String],
        completion: @escaping @Sendable (Result<[String: Bool], ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in
            try await api.entitlements(try sendable(sessionId), entitlementIds)
        }
    }

    /// What the site decides about a page or a resource; advice, since a device can show it all the same.
    public func accessDecision(
        sessionId: Secret,
        path: String,
        httpMethod: String = "GET",
        requestHeaders: [String: String] = [:],
        contentMetadata: JSONObject = [:],
        jwt: Secret? = nil,
        completion: @escaping @Sendable (Result<ZephrAccessDecision, ZephrError>) -> Void
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
