/// Why a session ended.
///
/// Nothing else ends one: a server or a store that fails, a wrong clock and a device without a network leave it as it is.
@nonexhaustive
public enum SessionEnd: String, Sendable, Hashable {
    /// The person signed out, in this process.
    case userAction
    /// The provider refuses the refresh token, though no answer was lost (`invalid_grant`, RFC 6749 section 5.2): somebody
    /// revoked it.
    case revoked
    /// The provider refuses the refresh token after the time that it had announced for it.
    case expired
    /// The provider refuses a refresh token that it may have replaced before: the answer with its successor was lost, by a
    /// crash or by the network.
    case lostRotation
    /// Somebody signed in with the same client after it; what it had bought is not used any more.
    case replaced
    /// Another process removed the stored session: the person signed out there, or the provider ended it.
    case removedElsewhere
}
