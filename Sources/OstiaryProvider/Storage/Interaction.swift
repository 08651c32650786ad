import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request that waits for the user: the authorization or sign-out request, and the browser that may answer it.
struct Interaction: Sendable {
    enum Purpose: String, Sendable {
        case authorization, signOut
        /// The user enters a device's code.
        case userCode
        /// The user decides about a device.
        case device
        /// The user changes their passkeys.
        case account
    }

    var purpose: Purpose
    /// The request's parameters; they are checked again after the user's decision.
    var parameters: Parameters
    /// The digest of the cookie of the only browser that may answer.
    var browser: SecretDigest
    /// Whether the user must still sign in, even with a current login: `prompt=login` cannot be skipped.
    var needsLogin: Bool
    /// The login with which the user answers.
    var session: String?
    /// The user whose one-time password is missing; `nil` for none.
    var pending: PendingUser?
    /// Whether its page is the account chooser.
    var asksForAccount = false

    /// Whether its page is the sign-in page.
    var asksForPassword: Bool { needsLogin && pending == nil && !asksForAccount }

    func record(id: String, expires: Date) -> ProviderRecord {
        var value: JSONObject = [
            "purpose": .string(purpose.rawValue),
            "parameters": .string(FormURLEncoding.encode(parameters)),
            "browser": .string(browser.text),
            "needs_login": .bool(needsLogin),
        ]
        value["session"] = session.map { .string($0) }
        value["pending"] = pending?.json
        if asksForAccount { value["asks_for_account"] = true }
        return ProviderRecord(kind: .interaction, key: SecretDigest(id).text, value: value, expires: expires)
    }

    init(
        purpose: Purpose,
        parameters: Parameters,
        browser: SecretDigest,
        needsLogin: Bool,
        session: String?,
        pending: PendingUser? = nil
    ) {
        self.purpose = purpose
        self.parameters = parameters
        self.browser = browser
        self.needsLogin = needsLogin
        self.session = session
        self.pending = pending
    }

    init?(_ record: ProviderRecord) {
        guard let purpose = record.value["purpose"]?.string.flatMap(Purpose.init(rawValue:)),
            let text = record.value["parameters"]?.string, let parameters = FormURLEncoding.decode(text),
            let browser = record.value["browser"]?.string,
            let needsLogin = record.value["needs_login"]?.bool
        else { return nil }
        let pending = PendingUser(json: record.value["pending"])
        guard pending != nil || record.value["pending"] == nil else { return nil }
        self.init(
            purpose: purpose,
            parameters: parameters,
            browser: SecretDigest(text: browser),
            needsLogin: needsLogin,
            session: record.value["session"]?.string,
            pending: pending
        )
        asksForAccount = record.value["asks_for_account"]?.bool ?? false
    }
}
