/// The names that header fields of a session may have.
///
/// The header of the SDK says "All header field names must start with the \"X-\" prefix"; a session with a field that the
/// system does not take ends at once (developer.apple.com/forums/thread/759588).
enum HeaderFieldRule {
    static func allows(_ fields: [String: String]?) -> Bool {
        (fields ?? [:]).keys.allSatisfy { $0.hasPrefix("X-") }
    }
}
