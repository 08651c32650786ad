public import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A session at a Zephr site.
///
/// Its id must be protected like a password: it is sent to the site's origin alone, in a header field, and no URL
/// contains it. Only the site knows whether the session is still valid, and its next response says so.
public final class ZephrSession: Sendable {
    /// The effect of an update on a profile.
    public enum Update: Sendable, Hashable {
        /// The given attributes replace the whole profile.
        case replacing
        /// The given attributes are added or changed; the others stay.
        case merging
    }

    /// The scope of a sign-out, at a site with Zephr's own single sign-on.
    public struct SignOutPlace: RawRepresentable, Sendable, Hashable {
        /// The value on the wire.
        public let rawValue: String
        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// At this site.
        public static let justHere = SignOutPlace(rawValue: "JUST_HERE")
        /// On this device.
        public static let thisDevice = SignOutPlace(rawValue: "THIS_DEVICE")
        /// On every other device.
        public static let otherDevices = SignOutPlace(rawValue: "OTHER_DEVICES")
        /// Everywhere.
        public static let everywhere = SignOutPlace(rawValue: "EVERYWHERE")
    }

    /// The result of a sign-out beyond this device.
    public struct SignOutReport: Sendable, Hashable {
        /// The reason the site may still have the session; `nil` when it confirmed the end.
        public let failure: ZephrError?
    }

    /// The session's id.
    public let id: Secret
    /// The expiry that the site stated, if it did.
    public let expiry: Date?
    private let zephr: Zephr
    private let isOver = Lock(false)

    init(_ cookie: SessionCookie, of zephr: Zephr) {
        id = cookie.id
        expiry = cookie.expiry
        self.zephr = zephr
    }

    /// Whether the session has ended: the user signed out, or the site ended it.
    public var hasEnded: Bool { isOver.withLock { $0 } }

    /// Returns the owner of the session.
    ///
    /// - Throws: `sessionExpired`, as every call of a session does when the site no longer knows it; the session is
    ///   then removed.
    public func account() async throws(ZephrError) -> ZephrAccount {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.account(id) }
    }

    /// Returns the site's data about the user.
    ///
    /// - Parameter appID: The extended profile of one application; `nil` for the profile itself.
    /// - Returns: The profile, as the site sends it.
    /// - Throws: `notFound` when that application has none.
    public func profile(of appID: String? = nil) async throws(ZephrError) -> JSONObject {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.profile(id, of: appID) }
    }

    /// Changes the site's data about the user.
    ///
    /// - Parameters:
    ///   - attributes: Any JSON.
    ///   - appID: The extended profile of one application; `nil` for the profile itself.
    ///   - update: Whether the other attributes stay.
    /// - Throws: The site's error.
    public func updateProfile(
        _ attributes: JSONObject,
        of appID: String? = nil,
        by update: Update = .merging
    ) async throws(ZephrError) {
        try await whileItLasts { (id) throws(ZephrError) in
            try await self.zephr.api.updateProfile(id, of: appID, attributes, by: update)
        }
    }

    /// Returns whether the user has each of these entitlements; `false` for one that the response leaves out.
    ///
    /// A decision on a device is advice: see ``ZephrAccessDecision``.
    public func entitlements(_ ids: [String]) async throws(ZephrError) -> [String: Bool] {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.entitlements(id, ids) }
    }

    /// Returns the site's decisions about features, each by its name, as the site's own JSON.
    public func decisions(about features: [String]) async throws(ZephrError) -> JSONObject {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.decide(id, features: features) }
    }

    /// Returns the site's decision about a page or a resource.
    public func decision(about request: ZephrAccessRequest) async throws(ZephrError) -> ZephrAccessDecision {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.decideAccess(id, request) }
    }

    /// Ends the session: here first, then at the site.
    ///
    /// The stored session is removed before anything is sent; it stays removed when the site cannot be reached.
    ///
    /// - Parameter place: The further sessions to end, at a site with Zephr's own single sign-on.
    /// - Returns: The steps at the site, each with its failure.
    /// - Throws: `storage` when the stored session could not be removed. The session has then not ended.
    @discardableResult
    public func signOut(from place: SignOutPlace? = nil) async throws(ZephrError) -> SignOutReport {
        guard !hasEnded else { return SignOutReport(failure: nil) }
        try await forget()
        do throws(ZephrError) {
            try await zephr.api.logOut(id, from: place)
            return SignOutReport(failure: nil)
        } catch {
            return SignOutReport(failure: error)
        }
    }

    /// Permanently deletes the user at the site, with all of the site's data about them.
    ///
    /// - Throws: The reason the site did not delete the user; the session is then kept.
    public func deleteUser() async throws(ZephrError) {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.forgetMe(id) }
        try await forget()
    }

    /// Makes a call, and forgets the session when the site says that it has ended.
    private func whileItLasts<Output: Sendable>(
        _ call: (Secret) async throws(ZephrError) -> Output
    ) async throws(ZephrError) -> Output {
        guard !hasEnded else { throw ZephrError(.sessionExpired) }
        do throws(ZephrError) {
            return try await call(id)
        } catch {
            if error.reason == .sessionExpired { try? await forget() }
            throw error
        }
    }

    /// Removes the stored session, unless a newer one has replaced it.
    private func forget() async throws(ZephrError) {
        do throws(StorageFailure) {
            if let bytes = try await zephr.store.read(zephr.storeKey),
                let stored = try? StoredZephrSession(bytes, of: zephr.configuration.site), stored.cookie.id == id
            {
                try await zephr.store.remove(zephr.storeKey)
            }
        } catch {
            throw ZephrError(.storage(error))
        }
        isOver.withLock { $0 = true }
    }
}

extension ZephrSession: CustomStringConvertible, CustomReflectable {
    /// The site; never the id.
    public var description: String { "ZephrSession(\(zephr.configuration.site))" }
    /// The site.
    public var customMirror: Mirror { Mirror(self, children: ["site": zephr.configuration.site.description]) }
}
