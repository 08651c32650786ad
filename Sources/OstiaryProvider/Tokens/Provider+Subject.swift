import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The `sub` of a user for a client: the user's own, or one that clients of another sector cannot link to it
    /// (OpenID Connect Core section 8.1).
    ///
    /// `subject` is the user's own subject, or that of a client that acts for itself. `client` is `nil` for one that is
    /// no longer registered.
    func subject(_ subject: String, for client: RegisteredClient?) async throws -> String {
        guard let sector = client?.sector, user(subject: subject) != nil else { return subject }
        let parts = Parameters(["sector": sector, "sub": subject, "salt": try await pairwiseSalt()])
        return SecretDigest(FormURLEncoding.encode(parts)).text
    }

    /// The user's own subject of a `sub` that a client knows; `nil` for no pairwise subject of a client that has a
    /// sector.
    func ownSubject(of text: String, for client: RegisteredClient?) async throws -> String? {
        guard client?.sector != nil else { return text }
        for user in users
        where try await subject(user.subject, for: client).utf8.elementsEqual(text.utf8) {
            return user.subject
        }
        return nil
    }

    /// The user handle that authenticators keep with the passkeys of a user, in base64url: it tells nothing of the user
    /// (Web Authentication Level 3 section 14.6.1).
    func userHandle(of subject: String) async throws -> String {
        let parts = Parameters(["passkeys": "user handle", "sub": subject, "salt": try await pairwiseSalt()])
        return SecretDigest(FormURLEncoding.encode(parts)).text
    }

    /// The secret part of pairwise subjects and user handles, made once and kept in storage.
    private func pairwiseSalt() async throws -> String {
        let key = "pairwise"
        func stored() async throws -> String? { try await storage.record(.subjectSalt, key)?.value["salt"]?.string }
        if let salt = try await stored() { return salt }
        let value: JSONObject = ["salt": .string(random.secret())]
        _ = try await storage.add(ProviderRecord(kind: .subjectSalt, key: key, value: value, expires: nil))
        guard let salt = try await stored() else { throw ProviderStorageFailure("keeping the salt of subjects") }
        return salt
    }
}
