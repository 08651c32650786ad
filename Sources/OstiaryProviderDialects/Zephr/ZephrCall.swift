import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request to a site.
struct ZephrCall {
    let request: ProviderRequest
    let provider: Provider
    let dialect: ZephrDialect

    /// The time that a sign-in may take at the social provider, and a registration may stay unfinished, in seconds.
    static let patience: Double = 600

    /// Returns the response for a path; `nil` for a path that is not the site's own.
    func answer(_ path: [String]) async throws -> ProviderResponse? {
        switch path.count {
        case 2: try await answer("\(request.method.rawValue) \(path[0])/\(path[1])")
        case 3: try await answer(path[0], path[1], path[2])
        case 5 where path[0] == "zephr" && path[1] == "oauth" && path[4] == "callback":
            try await finishSocialSignIn(path[2], path[3])
        default: nil
        }
    }

    private func answer(_ call: String) async throws -> ProviderResponse? {
        switch call {
        case "POST blaize/register": try register()
        case "POST blaize/login": logIn()
        case "POST blaize/logout": logOut()
        case "POST blaize/anonymous-session": startAnonymousSession()
        case "POST blaize/forget-me": forgetMe()
        case "GET blaize/account": withPerson(account)
        case "GET blaize/profile": withPerson { person, _ in .json(person.profile) }
        case "PUT blaize/profile": updateProfile(merging: false)
        case "POST blaize/profile": updateProfile(merging: true)
        case "POST zephr/decide": decideFeatures()
        case "POST zephr/decision-engine": decideAccess()
        default: nil
        }
    }

    private func answer(_ first: String, _ second: String, _ third: String) async throws -> ProviderResponse? {
        switch (request.method, first, second) {
        case (.get, "blaize", "oauth"): startSocialSignIn(third)
        case (.get, "blaize", "profile"): extendedProfile(third)
        case (.put, "blaize", "profile"): updateExtendedProfile(third, merging: false)
        case (.post, "blaize", "profile"): updateExtendedProfile(third, merging: true)
        case (.post, "blaize", "authorization") where third == "challenge": challenge()
        case (_, "zephr", "oauth2") where third == "token": try await thirdPartyToken()
        default: nil
        }
    }

    /// The body, when it is a JSON object.
    var json: JSONObject? {
        let type = request.fields[.contentType]?.prefix { $0 != ";" }
        guard type == "application/json" else { return nil }
        return try? JSONObject(parsing: request.body)
    }

    /// The session's digest, by which it is kept.
    var sessionKey: String? { request.cookie("blaize_session").map { SecretDigest($0).text } }

    /// The user and session of the request.
    var person: (person: ZephrUser, session: ZephrState.Session)? {
        guard let key = sessionKey else { return nil }
        return dialect.state.withLock { state in
            guard let session = state.sessions[key], let emailAddress = session.emailAddress,
                let person = state[emailAddress]
            else { return nil }
            return (person, session)
        }
    }

    /// Responds to a signed-in user, and with 401 otherwise.
    func withPerson(_ answer: (ZephrUser, ZephrState.Session) -> ProviderResponse) -> ProviderResponse {
        guard let (person, session) = person else { return .zephr("Not signed in", .unauthorized) }
        return answer(person, session)
    }

    /// Starts a session.
    func session(of emailAddress: String?) -> (id: String, session: ZephrState.Session) {
        let id = provider.random.secret()
        let session = ZephrState.Session(emailAddress: emailAddress, trackingID: provider.random.identifier())
        dialect.state.withLock { $0.sessions[SecretDigest(id).text] = session }
        return (id, session)
    }

    /// Returns a response with a session: the cookie as text, and as a cookie.
    func sessionResponse(
        of emailAddress: String?,
        _ message: String,
        status: HTTPResponse.Status = .ok
    ) -> ProviderResponse {
        let (id, session) = session(of: emailAddress)
        let expires = HTTPDate.text(provider.now.addingTimeInterval(30 * 86_400))
        let cookie = "blaize_session=\(id); Expires=\(expires); Path=/;"
        var object: JSONObject = ["message": .string(message), "tracking_id": .string(session.trackingID)]
        if emailAddress != nil { object["cookie"] = .string(cookie) }
        var response = ProviderResponse.json(object, status: status)
        let tracking = "blaize_tracking_id=\(session.trackingID); Expires=\(expires); Path=/;"
        response.fields.append(HTTPField(name: .setCookie, value: tracking + " Secure"))
        response.fields.append(HTTPField(name: .setCookie, value: cookie + " HttpOnly; Secure"))
        return response
    }
}
