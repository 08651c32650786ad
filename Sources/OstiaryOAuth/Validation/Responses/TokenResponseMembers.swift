import OstiaryJOSE

/// The members of a token response (RFC 6749 section 5.1).
///
/// An optional token that is null or an empty string counts as absent, a number may be a string of digits, and `scope`
/// may be an array of strings: servers send these forms, and none of them weakens a check.
struct TokenResponseMembers {
    let object: JSONObject
    private let stage: SignInError.Stage

    init(_ object: JSONObject, stage: SignInError.Stage) {
        self.object = object
        self.stage = stage
    }

    /// `access_token`: printable ASCII, at least one character (RFC 6749 appendix A.12).
    ///
    /// A token with a control character would end the line of the header field that carries it, or be one more command
    /// for a terminal.
    func accessToken() throws(SignInError) -> String {
        guard let text = object["access_token"]?.string, !text.isEmpty,
            NamedCheck.holds("token.access_token.form", text.utf8.allSatisfy { 0x20...0x7E ~= $0 })
        else { throw malformed("access_token") }
        return text
    }

    /// A member that may be absent, null or empty.
    func optionalToken(_ name: String) throws(SignInError) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string else { throw malformed(name) }
        return text.isEmpty ? nil : text
    }

    /// `scope`, as a string or as an array of strings; `nil` when it is absent.
    func scopes(separatedByCommas: Bool) throws(SignInError) -> [Scope]? {
        guard let value = object["scope"], !value.isNull else { return nil }
        let text: String
        if let string = value.string {
            text = string
        } else {
            guard let array = value.array else { throw malformed("scope") }
            let parts = array.compactMap(\.string)
            guard parts.count == array.count else { throw malformed("scope") }
            text = parts.joined(separator: " ")
        }
        return Scope.list(separatedByCommas ? String(text.map { $0 == "," ? " " : $0 }) : text)
    }

    /// `expires_in`, in seconds.
    func lifetime() throws(SignInError) -> Double? {
        guard let value = object["expires_in"], !value.isNull else { return nil }
        guard let seconds = object.seconds("expires_in") else { throw malformed("expires_in") }
        return seconds
    }

    /// The lifetime of the refresh token, in seconds, under one of the names that servers use; `nil` when there is
    /// none.
    ///
    /// No specification defines the member yet, so an invalid value does not invalidate the response; 0 means that the
    /// token does not expire.
    func refreshTokenLifetime() -> Double? {
        for name in ["refresh_token_expires_in", "refresh_expires_in", "refresh_token_timeout"] {
            guard let value = object[name] else { continue }
            let seconds = value.number ?? value.string.flatMap(Double.init)
            if let seconds, seconds.isFinite, seconds > 0 { return seconds }
        }
        return nil
    }

    func malformed(_ member: String) -> SignInError {
        SignInError(stage, .malformed("the token response's \(member)"))
    }
}
