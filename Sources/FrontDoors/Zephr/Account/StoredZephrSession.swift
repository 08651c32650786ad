import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session as the bytes that a store keeps; neither the address nor the tracking number is among them.
struct StoredZephrSession {
    let cookie: SessionCookie
    private let site: ZephrSite

    init(_ cookie: SessionCookie, of site: ZephrSite) {
        self.cookie = cookie
        self.site = site
    }

    init(_ bytes: [UInt8], of site: ZephrSite) throws(ZephrError) {
        // A secret that one site issued is never sent to another.
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            object["site"] == .string(site.description), let id = object["session"]?.string, SessionCookie.isValue(id)
        else { throw ZephrError(.storage(.corrupted)) }
        cookie = SessionCookie(
            Secret(id),
            expiry: object["expires"]?.number.map { Date(timeIntervalSince1970: $0) }
        )
        self.site = site
    }

    var bytes: [UInt8] {
        var object: JSONObject = [
            "version": 1, "site": .string(site.description), "session": .string(cookie.id.reveal()),
        ]
        object["expires"] = cookie.expiry.map { .number($0.timeIntervalSince1970) }
        return object.encoded()
    }
}
