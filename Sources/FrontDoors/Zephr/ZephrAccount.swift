import Ostiary

/// Who a session belongs to, by the site's word.
public struct ZephrAccount: Sendable, Hashable {
    /// The address that the site knows the person by.
    public let emailAddress: String?
    /// The person's number in the site's analytics; it opens nothing, but it is personal.
    public let trackingID: String?

    init(_ answer: JSONObject) {
        emailAddress = answer["identifiers"]?.object?["email_address"]?.string
        trackingID = answer["tracking_id"]?.string
    }

    /// Whether it is the person with an address, without regard to the case of its letters.
    func isKnown(by emailAddress: String) -> Bool {
        func folded(_ text: String) -> [UInt8] {
            text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
        return self.emailAddress.map { folded($0) == folded(emailAddress) } ?? false
    }
}

extension ZephrAccount: CustomStringConvertible, CustomReflectable {
    /// The word alone; nothing about the person.
    public var description: String { "ZephrAccount" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
