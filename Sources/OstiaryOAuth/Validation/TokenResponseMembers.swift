import OstiaryJOSE

/// The members of a token response, read strictly (RFC 6749 section 5.1).
struct TokenResponseMembers {
    private let object: JSONObject
    private let stage: SignInError.Stage

    init(_ object: JSONObject, stage: SignInError.Stage) {
        self.object = object
        self.stage = stage
    }

    /// A member that is there and is not empty.
    func string(_ name: String) throws(SignInError) -> String {
        guard let text = object[name]?.string, !text.isEmpty else { throw malformed(name) }
        return text
    }

    /// A member that is not empty when it is there.
    func optionalString(_ name: String) throws(SignInError) -> String? {
        let text = try optionalText(name)
        guard text?.isEmpty != true else { throw malformed(name) }
        return text
    }

    /// A member that may be empty.
    func optionalText(_ name: String) throws(SignInError) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string else { throw malformed(name) }
        return text
    }

    /// `expires_in`, in seconds.
    func lifetime() throws(SignInError) -> Double? {
        switch object["expires_in"] {
        case nil, .null: return nil
        case .string(let digits):
            // Some servers send the number as a string.
            guard let seconds = Double(digits), seconds.isFinite, seconds >= 0 else { throw malformed("expires_in") }
            return seconds
        case .some(let value):
            guard let seconds = value.number, seconds >= 0 else { throw malformed("expires_in") }
            return seconds
        }
    }

    /// How long the refresh token is good, in seconds, by one of the names that servers use; `nil` when none says so.
    ///
    /// No specification has the member yet, so nothing in it makes an answer wrong; 0 means that it does not expire.
    func refreshTokenLifetime() -> Double? {
        for name in ["refresh_token_expires_in", "refresh_expires_in", "refresh_token_timeout"] {
            guard let value = object[name] else { continue }
            let seconds = value.number ?? value.string.flatMap(Double.init)
            if let seconds, seconds.isFinite, seconds > 0 { return seconds }
        }
        return nil
    }

    private func malformed(_ member: String) -> SignInError {
        SignInError(stage, .malformed("the token response's \(member)"))
    }
}
