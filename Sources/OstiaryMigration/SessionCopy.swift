import Ostiary
import OstiaryJOSE

/// A copy of a stored session, reduced to the facts that show which of two copies is newer.
struct SessionCopy: Sendable, Hashable {
    let id: String
    let revision: Int

    /// Reads a stored value; `nil` for anything but a session, and for a session without a revision.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes, limits: StoredSession.limits), let id = object["id"]?.string,
            let revision = object["revision"]?.integer, object["tokens"]?.object != nil
        else { return nil }
        self.id = id
        self.revision = revision
    }

    /// Whether a value is a later copy of the same session.
    static func isNewer(_ value: [UInt8]?, than other: [UInt8]) -> Bool {
        guard let copy = value.flatMap(SessionCopy.init), let other = SessionCopy(other) else { return false }
        return copy.id.utf8.elementsEqual(other.id.utf8) && copy.revision > other.revision
    }
}
