public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The details of a member that a verification states, as far as the granted scopes allow.
///
/// The contract lets an app keep `sub`, cohort and campus only. Show the rest, or match an account with it, and store
/// no more than the approved purpose needs.
public struct SSAFYMember: Sendable, Hashable {
    /// A detail beyond the contract's minimal result, which a backend may disclose to its app.
    public enum Detail: String, Sendable, Hashable, CaseIterable {
        /// The region; scope `ssafy.affiliation`.
        case region
        /// The name; scope `ssafy.name`.
        case name
        /// The URL of the profile image; scope `ssafy.profile_image`.
        case picture
        /// The Mattermost account; scope `ssafy.mattermost_id`, for matching accounts that were made with it.
        case mattermostID = "mattermostId"
    }

    /// The cohort, such as `15`, with `0` for the staff; scope `ssafy.affiliation`.
    public var cohort: String?
    /// The campus; scope `ssafy.affiliation`.
    public var campus: String?
    /// The region; scope `ssafy.affiliation`.
    public var region: String?
    /// The name; scope `ssafy.name`.
    public var name: String?
    /// The profile image at an https URL; scope `ssafy.profile_image`.
    public var picture: URL?
    /// The Mattermost account; scope `ssafy.mattermost_id`.
    public var mattermostID: String?

    /// Reads the claims of a verification token that has been verified; a claim of another type counts as absent.
    ///
    /// - Parameters:
    ///   - claims: The token's claims.
    ///   - issuer: The base of a relative `picture`.
    public init(claims: JSONObject, issuer: String = SSAFYConfiguration.canonicalIssuer) {
        func text(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        cohort = text("ssafy_cohort")
        campus = text("ssafy_campus")
        region = text("ssafy_region")
        name = text("name")
        picture = text("picture").flatMap { Self.picture($0, at: issuer) }
        mattermostID = text("ssafy_mattermost_user_id")
    }

    /// Takes the members of a backend's result.
    init(_ result: VerificationResult) {
        func text(_ detail: Detail) -> String? { result.additionalMembers[detail.rawValue]?.string }
        cohort = result.cohort
        campus = result.campus
        region = text(.region)
        name = text(.name)
        picture = text(.picture).flatMap { Self.picture($0, at: "") }
        mattermostID = text(.mattermostID)
    }

    /// The details as members of a backend's result.
    public func members(_ details: Set<Detail>) -> JSONObject {
        var object = JSONObject()
        for detail in Detail.allCases where details.contains(detail) {
            let text: String? =
                switch detail {
                case .region: region
                case .name: name
                case .picture: picture?.absoluteString
                case .mattermostID: mattermostID
                }
            object[detail.rawValue] = text.map { .string($0) }
        }
        return object
    }

    /// An https URL, also one that is given relative to the issuer.
    private static func picture(_ text: String, at issuer: String) -> URL? {
        let base = URL(string: issuer.hasSuffix("/") ? issuer : issuer + "/")
        guard let url = URL(string: text, relativeTo: base)?.absoluteURL, url.scheme == "https",
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }
}

extension SSAFYMember: CustomStringConvertible, CustomReflectable {
    /// The type's name alone; no data about the user.
    public var description: String { "SSAFYMember" }
    /// No data about the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VerificationResult {
    /// The member's details that the backend discloses.
    public var member: SSAFYMember { SSAFYMember(self) }
}
