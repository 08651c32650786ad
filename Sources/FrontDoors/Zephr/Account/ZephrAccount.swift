import Ostiary

/// The owner of a session, as the site confirms it.
public struct ZephrAccount: Sendable, Hashable {
    /// The address by which the site knows the user.
    public let emailAddress: String?
    /// The user's number in the site's analytics; it gives no access, but it is personal data.
    public let trackingID: String?

    init(_ answer: JSONObject) {
        emailAddress = answer["identifiers"]?.object?["email_address"]?.string
        trackingID = answer["tracking_id"]?.string
    }

    /// Whether the account has this address, without regard to the case of letters.
    func isKnown(by emailAddress: String) -> Bool {
        func folded(_ text: String) -> [UInt8] {
            text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
        return self.emailAddress.map { folded($0) == folded(emailAddress) } ?? false
    }
}

extension ZephrAccount: CustomStringConvertible, CustomReflectable {
    /// The type's name alone; no data about the user.
    public var description: String { "ZephrAccount" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
