public import Ostiary

extension Scope {
    /// The verification itself, which is always requested.
    public static let ssafyVerify: Self = "ssafy.verify"
    /// Cohort, campus and region.
    public static let ssafyAffiliation: Self = "ssafy.affiliation"
    /// The user's name.
    public static let ssafyName: Self = "ssafy.name"
    /// The profile image.
    public static let ssafyProfileImage: Self = "ssafy.profile_image"
    /// The user's track of study.
    public static let ssafyTrack: Self = "ssafy.track"
    /// The user's role at SSAFY: student, staff and the like.
    public static let ssafyRole: Self = "ssafy.role"
    /// The Mattermost account, only for projects that must match accounts which were made with it.
    public static let ssafyMattermostID: Self = "ssafy.mattermost_id"
}
