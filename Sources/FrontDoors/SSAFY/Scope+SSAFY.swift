public import Ostiary

extension Scope {
    /// The verification itself, without which there is none: it is always asked for.
    public static let ssafyVerify: Self = "ssafy.verify"
    /// Cohort, campus and region.
    public static let ssafyAffiliation: Self = "ssafy.affiliation"
    /// The person's name.
    public static let ssafyName: Self = "ssafy.name"
    /// The profile image.
    public static let ssafyProfileImage: Self = "ssafy.profile_image"
    /// The track that the person studies.
    public static let ssafyTrack: Self = "ssafy.track"
    /// What the person is at SSAFY: student, staff and the like.
    public static let ssafyRole: Self = "ssafy.role"
    /// The Mattermost account, for projects that have to match accounts which were made with it; not for anything else.
    public static let ssafyMattermostID: Self = "ssafy.mattermost_id"
}
