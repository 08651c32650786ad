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

extension ZephrCall {
    /// Registers a user with a password, or completes a registration that a social sign-in began.
    func register() throws -> ProviderResponse {
        guard let json, let validators = json["validators"]?.object, let attributes = json["attributes"]?.object,
            let identifiers = json["identifiers"]?.object
        else { return .zephr("Bad request", .badRequest) }
        guard let stateKey = validators["token_exchange"]?.string else {
            return try register(identifiers, validators, attributes)
        }
        let place = SecretDigest(stateKey).text
        let registration = dialect.state.withLock { $0.registrations[place] }
        guard let registration, registration.expires > provider.now, identifiers.isEmpty else {
            return .zephr("Bad request", .badRequest)
        }
        return finish(registration.emailAddress, nil, attributes) { $0.registrations[place] = nil }
    }

    private func register(
        _ identifiers: JSONObject,
        _ validators: JSONObject,
        _ attributes: JSONObject
    ) throws -> ProviderResponse {
        guard let emailAddress = identifiers["email_address"]?.string, emailAddress.contains("@"),
            let password = validators["password"]?.string, password.count >= 8
        else { return .zephr("Invalid or weak password", .badRequest) }
        var random = provider.random.numbers
        let hash = try PasswordHash(Secret(password), cost: dialect.site.passwordCost, using: &random)
        return finish(emailAddress, hash, attributes) { _ in }
    }

    private func finish(
        _ emailAddress: String,
        _ passwordHash: PasswordHash?,
        _ attributes: JSONObject,
        _ used: (inout ZephrState) -> Void
    ) -> ProviderResponse {
        let domain = emailAddress.split(separator: "@").last.map { $0.lowercased() } ?? ""
        guard !dialect.site.blockedDomains.contains(domain) else {
            return .zephr("Email domain is blacklisted", .forbidden)
        }
        guard dialect.site.requiredAttributes.allSatisfy({ attributes[$0] != nil }) else {
            return .zephr("Missing attribute", .badRequest)
        }
        let isNew = dialect.state.withLock { state in
            guard state[emailAddress] == nil else { return false }
            state[emailAddress] = ZephrUser(
                emailAddress: emailAddress,
                passwordHash: passwordHash,
                profile: attributes
            )
            used(&state)
            return true
        }
        guard isNew else { return .zephr("User already exists", .conflict) }
        return sessionResponse(of: emailAddress, "User created")
    }

    /// Signs a user in with a password.
    func logIn() -> ProviderResponse {
        guard let json, let emailAddress = json["identifiers"]?.object?["email_address"]?.string,
            let password = json["validators"]?.object?["password"]?.string
        else { return .zephr("Bad request", .badRequest) }
        guard let person = dialect.state.withLock({ $0[emailAddress] }) else {
            return .zephr("User not found", .notFound)
        }
        guard person.passwordHash?.matches(Secret(password)) == true else {
            return .zephr("Invalid password", .unauthorized)
        }
        guard person.isVerified else { return verificationPage }
        return sessionResponse(of: person.emailAddress, "Login successful")
    }

    /// The site's response to an app when the address is not confirmed yet: a page.
    private var verificationPage: ProviderResponse {
        ProviderResponse(
            status: .unauthorized,
            fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            content: .bytes(
                Array(
                    "<!DOCTYPE html><html lang=\"en\"><head><title>Email verification is required</title></head></html>"
                        .utf8
                )
            )
        )
    }

    func logOut() -> ProviderResponse {
        if !request.body.isEmpty {
            let places: Set<String> = ["JUST_HERE", "THIS_DEVICE", "OTHER_DEVICES", "EVERYWHERE"]
            guard let place = json?["where"]?.string, places.contains(place) else {
                return .zephr("Bad request", .badRequest)
            }
        }
        guard let key = sessionKey, dialect.state.withLock({ $0.sessions.removeValue(forKey: key) }) != nil else {
            return .zephr("Bad request", .badRequest)
        }
        return .zephr("Session deleted", .ok)
    }

    func startAnonymousSession() -> ProviderResponse {
        sessionResponse(of: nil, "Session created", status: .created)
    }

    /// Deletes a user.
    func forgetMe() -> ProviderResponse {
        withPerson { person, _ in
            dialect.state.withLock { state in
                state[person.emailAddress] = nil
                let key = ZephrState.key(person.emailAddress)
                state.sessions = state.sessions.filter { $0.value.emailAddress.map(ZephrState.key) != key }
            }
            return .zephr("User deleted", .ok)
        }
    }

    func account(_ person: ZephrUser, _ session: ZephrState.Session) -> ProviderResponse {
        .json([
            "identifiers": ["email_address": .string(person.emailAddress)],
            "tracking_id": .string(session.trackingID),
        ])
    }

    func updateProfile(merging: Bool) -> ProviderResponse {
        withPerson { person, _ in
            guard let json else { return .zephr("Bad request", .badRequest) }
            let profile = merging ? person.profile.merged(with: json) : json
            dialect.state.withLock { $0[person.emailAddress]?.profile = profile }
            return .json(profile)
        }
    }

    func extendedProfile(_ appID: String) -> ProviderResponse {
        withPerson { person, _ in
            guard !appID.hasPrefix("_restricted") else { return .zephr("Bad request", .badRequest) }
            guard let profile = person.extendedProfiles[appID] else { return .zephr("Not found", .notFound) }
            return .json(profile)
        }
    }

    func updateExtendedProfile(_ appID: String, merging: Bool) -> ProviderResponse {
        withPerson { person, _ in
            guard !appID.hasPrefix("_restricted"), let json else { return .zephr("Bad request", .badRequest) }
            let before = person.extendedProfiles[appID] ?? JSONObject()
            let profile = merging ? before.merged(with: json) : json
            dialect.state.withLock { $0[person.emailAddress]?.extendedProfiles[appID] = profile }
            return .json(profile)
        }
    }
}

extension JSONObject {
    /// The members of both; the other's count.
    fileprivate func merged(with other: JSONObject) -> JSONObject {
        other.members.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
