public import Ostiary
import OstiaryCompatibility

/// A registration that a social sign-in began and that lacks attributes.
///
/// It exists in memory only, until the site has accepted or rejected it. A registration that failed in the network or
/// lacks an attribute can be retried.
public final class PartialRegistration: Sendable {
    /// The address that the redirect named, if it did.
    ///
    /// Do not store it or identify users by it: a plus sign in it may have become a space, and an attacker can write a
    /// URL. The session's account has the address that the site confirms.
    public let emailAddress: String?
    private let zephr: Zephr
    private let expected: String?
    private let stateKey: Lock<Secret?>

    init(of zephr: Zephr, stateKey: Secret, emailAddress: String?, expecting expected: String?) {
        self.zephr = zephr
        self.stateKey = Lock(stateKey)
        self.emailAddress = emailAddress
        self.expected = expected
    }

    /// Registers the user.
    ///
    /// - Parameter attributes: The attributes that the site requires; any JSON.
    /// - Returns: The session, already confirmed and stored.
    /// - Throws: `badRequest` when an attribute is missing or invalid, and the call can be repeated;
    ///   `userAlreadyExists` when the user must sign in with the earlier method; `registrationEnded` after the
    ///   registration has ended.
    public func complete(attributes: JSONObject) async throws(ZephrError) -> ZephrSession {
        guard let key = take() else { throw ZephrError(.registrationEnded) }
        let cookie: SessionCookie
        do throws(ZephrError) {
            cookie = try await zephr.api.register(stateKey: key, attributes: attributes)
        } catch {
            switch error.reason {
            case .userAlreadyExists, .emailDomainRefused: break
            default: stateKey.withLock { $0 = key }
            }
            throw error
        }
        return try await zephr.confirm(cookie, expecting: expected)
    }

    /// Takes the key, so that no other caller can use it meanwhile.
    private func take() -> Secret? {
        stateKey.withLock { key in
            defer { key = nil }
            return key
        }
    }
}

extension PartialRegistration: CustomStringConvertible, CustomReflectable {
    /// The type's name alone; no data about the user, and no key.
    public var description: String { "PartialRegistration" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
