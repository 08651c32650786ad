import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Authenticates the user of a sign-in page: with a passkey where the form has one, or else with name and password.
    ///
    /// - Parameters:
    ///   - form: The form that the page has sent.
    ///   - open: The page.
    ///   - clientID: The client, for the log; `nil` for none.
    ///   - request: The request.
    /// - Returns: The user, or the page's failure.
    /// - Throws: The storage's error.
    func attempt(
        _ form: Parameters,
        _ open: OpenInteraction,
        of clientID: String?,
        _ request: ProviderRequest
    ) async throws -> Result<Authentication, LoginTry> {
        guard let relyingParty, let text = form[Parameters.Name(rawValue: PageInput.passkey)] else {
            return attemptLogin(form).map { Authentication(user: $0, methods: LoginSession.passwordMethods) }
        }
        do {
            return .success(try await authenticate(text, ceremony(relyingParty, csrf: open.csrf)))
        } catch let failure as PasskeyFailure {
            // A browser that sends one form twice uses no copy of the passkey.
            guard try await !storage.wasUsed(.interaction, SecretDigest(open.id).text) else {
                throw Refusal.page(PageText.answeredBefore.english)
            }
            report(failure, of: clientID, request)
            return .failure(LoginTry(userName: "", sentence: failure.sentence))
        }
    }

    private func authenticate(_ text: String, _ ceremony: PasskeyCeremony) async throws -> Authentication {
        let assertion = try PasskeyAssertion(text)
        guard let record = try await storage.record(.passkey, Passkey.key(ofID: assertion.id)),
            let passkey = Passkey(record), let user = user(subject: passkey.subject)
        else { throw PasskeyFailure.unknown }
        let used = try assertion.verified(ceremony, by: passkey)
        if used != passkey {
            // Where another sign-in or a removal has come between, the checks start again.
            guard try await storage.replace(record, with: used.record) else {
                return try await authenticate(text, ceremony)
            }
        }
        return Authentication(user: user, methods: used.methods)
    }

    /// Reports a failure for the log.
    func report(_ failure: PasskeyFailure, of clientID: String?, _ request: ProviderRequest) {
        let event = ProviderEvent(
            .refused,
            path: request.path,
            clientID: clientID,
            status: HTTPResponse.Status.ok.code,
            reason: failure.reason
        )
        send(event, of: request)
    }

    /// The expectations of a page's ceremony.
    ///
    /// The challenge follows from the form's own secret, so it is of this page and this browser alone. A page is
    /// answered once, so the challenge is too.
    func ceremony(_ relyingParty: RelyingParty, csrf: String) -> PasskeyCeremony {
        PasskeyCeremony(relyingParty, challenge: SecretDigest("passkey.\(csrf)").text)
    }

    /// The form with which a sign-in page uses a passkey; `nil` where there are none.
    ///
    /// The options name no passkey: the user chooses one of those that the authenticator has for this provider
    /// (Web Authentication Level 3 section 5.5).
    func assertionPrompt(_ form: PageForm) -> PasskeyPrompt? {
        guard let relyingParty else { return nil }
        let ceremony = ceremony(relyingParty, csrf: form.csrfToken)
        let options: JSONObject = [
            "challenge": .string(ceremony.challenge), "rpId": .string(relyingParty.id),
            "userVerification": .string(ceremony.userVerification.rawValue), "timeout": .integer(Self.timeout),
        ]
        return PasskeyPrompt(ceremony: .assertion, options: options.text)
    }

    /// The form with which a page makes a passkey for a user (Web Authentication Level 3 section 5.4).
    func creationPrompt(
        _ form: PageForm,
        _ relyingParty: RelyingParty,
        for user: ProviderUser,
        besides passkeys: [Passkey]
    ) async throws -> PasskeyPrompt {
        let ceremony = ceremony(relyingParty, csrf: form.csrfToken)
        let algorithms = COSEKey.algorithms.map { entry -> JSONValue in
            ["type": "public-key", "alg": .integer(Int(entry.identifier))]
        }
        let known = passkeys.map { passkey -> JSONValue in ["type": "public-key", "id": .string(passkey.id)] }
        let options: JSONObject = [
            "rp": ["id": .string(relyingParty.id), "name": .string(configuration.name)],
            "user": [
                "id": .string(try await userHandle(of: user.subject)), "name": .string(user.name),
                "displayName": .string(user.claims["name"]?.string ?? user.name),
            ],
            "challenge": .string(ceremony.challenge), "pubKeyCredParams": .array(algorithms),
            "excludeCredentials": .array(known), "attestation": "none", "timeout": .integer(Self.timeout),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true,
                "userVerification": .string(ceremony.userVerification.rawValue),
            ],
        ]
        return PasskeyPrompt(ceremony: .creation, options: options.text)
    }

    /// The time that a browser may take, in milliseconds: the recommended five minutes (section 15.1).
    private static let timeout = 300_000

    /// The passkeys of a user, the oldest first.
    func passkeys(of subject: String) async throws -> [Passkey] {
        try await storage.records(.passkey).compactMap(Passkey.init).filter {
            $0.subject.utf8.elementsEqual(subject.utf8)
        }
    }

    /// Forgets every passkey of a user.
    func removePasskeys(of subject: String) async throws {
        for passkey in try await passkeys(of: subject) {
            try await storage.remove(.key(.passkey, Passkey.key(ofID: passkey.id)))
        }
    }
}

extension JSONObject {
    /// The object as text.
    fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
