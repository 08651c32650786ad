import HTTPTypes
import Ostiary

extension ZephrAPI {
    func account(_ session: Secret) async throws(ZephrError) -> ZephrAccount {
        ZephrAccount(try await object(.get, site.publicAPI("/account"), session: session))
    }

    /// Ends a session at the site.
    func logOut(_ session: Secret, from place: ZephrSession.SignOutPlace?) async throws(ZephrError) {
        let json: JSONObject? = place.map { ["where": .string($0.rawValue)] }
        let answer = try await call(.post, site.publicAPI("/logout"), json: json, session: session)
        guard answer.response.status.kind == .successful else { throw answer.failure(.logout) }
    }

    /// Deletes the user.
    func forgetMe(_ session: Secret) async throws(ZephrError) {
        let answer = try await call(.post, site.publicAPI("/forget-me"), session: session)
        guard answer.response.status.kind == .successful else { throw answer.failure(.session) }
    }

    func profile(_ session: Secret, of appID: String?) async throws(ZephrError) -> JSONObject {
        try await object(.get, try profileURL(appID), session: session)
    }

    func updateProfile(
        _ session: Secret,
        of appID: String?,
        _ attributes: JSONObject,
        by update: ZephrSession.Update
    ) async throws(ZephrError) {
        let method: HTTPRequest.Method = update == .replacing ? .put : .post
        let answer = try await call(method, try profileURL(appID), json: attributes, session: session)
        guard answer.response.status.kind == .successful else { throw answer.failure(.session) }
    }

    private func profileURL(_ appID: String?) throws(ZephrError) -> String {
        guard let appID else { return site.publicAPI("/profile") }
        guard ZephrSite.isPathSegment(appID), !appID.hasPrefix("_restricted") else {
            throw ZephrError(
                .configuration("An app id is letters, digits, hyphens and underscores, and not _restricted.")
            )
        }
        return site.publicAPI("/profile/\(appID)")
    }

    func entitlements(_ session: Secret, _ ids: [String]) async throws(ZephrError) -> [String: Bool] {
        let answer = try await object(
            .post,
            site.publicAPI("/authorization/challenge"),
            json: ["entitlementIds": .array(ids.map { .string($0) })],
            session: session
        )
        var result: [String: Bool] = [:]
        // An entitlement that the response leaves out is not granted.
        for id in ids { result[id] = answer[id] == true }
        return result
    }

    func decide(_ session: Secret, features: [String]) async throws(ZephrError) -> JSONObject {
        try await object(
            .post,
            site.newer("/decide"),
            json: ["features": .array(features.map { .string($0) }), "session": .string(session.reveal())],
            session: session
        )
    }

    func decideAccess(_ session: Secret, _ request: ZephrAccessRequest) async throws(ZephrError) -> ZephrAccessDecision
    {
        let url = site.newer("/decision-engine")
        let answer = try await object(.post, url, json: request.json(for: session), session: session)
        guard let status = answer["status"]?.integer, (100...599).contains(status) else {
            throw ZephrError(.malformed("status"))
        }
        return ZephrAccessDecision(status: status, headers: answer["headers"]?.object, body: answer["body"]?.string)
    }
}
