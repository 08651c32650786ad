public import Ostiary
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A session at a Zephr site.
///
/// Its id is as good as a password: it is sent to the site's origin alone, in a header field, and no URL has it. Whether
/// it is still good only the site can tell, with the next answer.
public final class ZephrSession: Sendable {
    /// How a profile is changed.
    public enum Update: Sendable, Hashable {
        /// What is given replaces everything.
        case replacing
        /// What is given is added, or changed; the rest stays.
        case merging
    }

    /// Where a sign-out ends sessions, at a site with Zephr's own single sign-on.
    public struct SignOutPlace: RawRepresentable, Sendable, Hashable {
        /// The value as it is sent.
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

    /// What a sign-out came to beyond this device.
    public struct SignOutReport: Sendable, Hashable {
        /// Why the site may still have the session; `nil` when it confirmed that it has not.
        public let failure: ZephrError?
    }

    /// The session's id.
    public let id: Secret
    /// How long the site meant it to last, if it said so.
    public let expiry: Date?
    private let zephr: Zephr
    private let isOver = Mutex(false)

    init(_ cookie: SessionCookie, of zephr: Zephr) {
        id = cookie.id
        expiry = cookie.expiry
        self.zephr = zephr
    }

    /// Whether the session has ended: the person signed out, or the site said so.
    public var hasEnded: Bool { isOver.withLock { $0 } }

    /// Who the session belongs to.
    ///
    /// - Throws: `sessionExpired`, as every call of a session does when the site knows it no more; it is forgotten then.
    public func account() async throws(ZephrError) -> ZephrAccount {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.account(id) }
    }

    /// What the site keeps about the person.
    ///
    /// - Parameter appID: The extended profile of one application; `nil` for the profile itself.
    /// - Throws: `notFound` when that application keeps none.
    public func profile(of appID: String? = nil) async throws(ZephrError) -> JSONObject {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.profile(id, of: appID) }
    }

    /// Changes what the site keeps about the person.
    ///
    /// - Parameters:
    ///   - attributes: Any JSON.
    ///   - appID: The extended profile of one application; `nil` for the profile itself.
    ///   - update: Whether the rest stays.
    public func updateProfile(
        _ attributes: JSONObject,
        of appID: String? = nil,
        by update: Update = .merging
    ) async throws(ZephrError) {
        try await whileItLasts { (id) throws(ZephrError) in
            try await self.zephr.api.updateProfile(id, of: appID, attributes, by: update)
        }
    }

    /// Which of these entitlements the person has; one that the site says nothing of is `false`.
    ///
    /// A decision on a device is advice: see ``ZephrAccessDecision``.
    public func entitlements(_ ids: [String]) async throws(ZephrError) -> [String: Bool] {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.entitlements(id, ids) }
    }

    /// What the site decides about features, each by its name; the decisions are the site's own JSON.
    public func decisions(about features: [String]) async throws(ZephrError) -> JSONObject {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.decide(id, features: features) }
    }

    /// What the site decides about a page or a resource.
    public func decision(about request: ZephrAccessRequest) async throws(ZephrError) -> ZephrAccessDecision {
        try await whileItLasts { (id) throws(ZephrError) in try await self.zephr.api.decideAccess(id, request) }
    }

    /// Ends the session: here first, then at the site.
    ///
    /// What is stored is removed before anything is sent; a site that cannot be reached does not bring the session back.
    ///
    /// - Parameter place: Where else, at a site with Zephr's own single sign-on.
    /// - Throws: `storage` when the stored session could not be removed. It has not ended then.
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

    /// Deletes the person at the site, with everything that it keeps about them; nothing brings it back.
    ///
    /// - Throws: Why the site did not do it; the session is kept then.
    public func deletePerson() async throws(ZephrError) {
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

    /// Removes what is stored, unless a newer session has taken its place.
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
