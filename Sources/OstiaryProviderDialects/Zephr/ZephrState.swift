import HTTPTypes
import OstiaryJOSE
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a site: users by address, and issued secrets by digest.
struct ZephrState: Sendable {
    /// A session, with or without a user.
    struct Session: Sendable {
        var emailAddress: String?
        var trackingID: String
    }

    /// A sign-in that is at the social provider.
    struct Start: Sendable {
        var provider: String
        var clientType: String
        var verifier: String
        var expires: Date
    }

    /// A registration that lacks attributes.
    struct Registration: Sendable {
        var emailAddress: String
        var expires: Date
    }

    var users: [String: ZephrUser]
    var sessions: [String: Session] = [:]
    var starts: [String: Start] = [:]
    var registrations: [String: Registration] = [:]

    init(users: [ZephrUser]) {
        self.users = Dictionary(users.map { (Self.key($0.emailAddress), $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the key of an address, which is compared by its bytes and ignores the case of letters.
    static func key(_ emailAddress: String) -> String {
        Base64URL.encode(Array(emailAddress.lowercased().utf8))
    }

    subscript(emailAddress: String) -> ZephrUser? {
        get { users[Self.key(emailAddress)] }
        set { users[Self.key(emailAddress)] = newValue }
    }
}

extension ProviderResponse {
    /// A site's word, in JSON.
    static func zephr(_ message: String, _ status: HTTPResponse.Status) -> ProviderResponse {
        .json(["message": .string(message)], status: status)
    }
}
