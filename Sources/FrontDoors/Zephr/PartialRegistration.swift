public import Ostiary
import Synchronization

/// A registration that a social sign-in began and that lacks attributes.
///
/// It is in memory alone, and good until the site has taken or refused it: what the network lost, and what the site wants
/// mended, can be tried again.
public final class PartialRegistration: Sendable {
    /// The address that the redirect named, if it did.
    ///
    /// Do not keep it and do not tell people apart by it: a plus sign in it may have become a space, and anybody can write
    /// a URL. The session's account has the address by the site's word.
    public let emailAddress: String?
    private let zephr: Zephr
    private let expected: String?
    private let stateKey: Mutex<Secret?>

    init(of zephr: Zephr, stateKey: Secret, emailAddress: String?, expecting expected: String?) {
        self.zephr = zephr
        self.stateKey = Mutex(stateKey)
        self.emailAddress = emailAddress
        self.expected = expected
    }

    /// Registers the person.
    ///
    /// - Parameter attributes: What the site asks for; any JSON.
    /// - Returns: The session, confirmed and stored by then.
    /// - Throws: `badRequest` when an attribute is missing or wrong, and it can be tried again; `userAlreadyExists`, and
    ///   the person has to sign in in the way of before; `registrationEnded` afterwards.
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

    /// Takes the key, so that nobody else has it meanwhile.
    private func take() -> Secret? {
        stateKey.withLock { key in
            defer { key = nil }
            return key
        }
    }
}

extension PartialRegistration: CustomStringConvertible, CustomReflectable {
    /// The word alone; nothing about the person, and not the key.
    public var description: String { "PartialRegistration" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
