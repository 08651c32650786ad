public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ClientRegistration {
    /// The expiry of the registration access token, counted from its receipt; `nil` when unknown.
    ///
    /// The server states the lifetime in `registration_access_token_expires_in`, a member of its own.
    public var managementExpiry: Date? {
        guard let received, let seconds = metadata.members["registration_access_token_expires_in"]?.number,
            seconds >= 0
        else { return nil }
        return received.addingTimeInterval(seconds)
    }

    /// The metadata for an update, without the members that only the server sends.
    ///
    /// Pass the whole metadata to ``Curity/updateRegistration(_:)``: a member that is left out is deleted.
    var updatable: ClientMetadata {
        var metadata = metadata
        for name in ["registration_access_token_expires_in", "token_endpoint_auth_methods"] {
            metadata.members[name] = nil
        }
        return metadata
    }
}
