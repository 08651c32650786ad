import OstiaryJOSE

/// One copy of a stored session, as far as it tells which of two is the newer one.
struct SessionCopy: Sendable, Hashable {
    let id: String
    let revision: Int

    /// Reads a stored value; `nil` for what is no session, and for one that does not count what was written of it.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes, limits: StoredSession.limits), let id = object["id"]?.string,
            let revision = object["revision"]?.integer, object["tokens"]?.object != nil
        else { return nil }
        self.id = id
        self.revision = revision
    }

    /// Whether a value is the same session as another one, written later.
    static func isNewer(_ value: [UInt8]?, than other: [UInt8]) -> Bool {
        guard let copy = value.flatMap(SessionCopy.init), let other = SessionCopy(other) else { return false }
        return copy.id.utf8.elementsEqual(other.id.utf8) && copy.revision > other.revision
    }
}
