package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Claims about a user, of an ID token or of a UserInfo response (OpenID Connect Core section 5.1).
extension JSONObject {
    /// Whether `email_verified` is true; some servers send it as a string.
    package var isEmailVerified: Bool { self["email_verified"] == true || self["email_verified"] == "true" }

    /// `picture`; `nil` for a URL that is neither `https` nor `http`.
    package var picture: URL? {
        guard let text = self["picture"]?.string, let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "https" || scheme == "http"
        else { return nil }
        return url
    }
}
