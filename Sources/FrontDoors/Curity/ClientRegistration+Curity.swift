public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ClientRegistration {
    /// When the registration access token ends, counted from when this device got it; `nil` when nobody said.
    ///
    /// The server says how long it lasts in `registration_access_token_expires_in`, a member of its own.
    public var managementExpiry: Date? {
        guard let received, let seconds = metadata.members["registration_access_token_expires_in"]?.number,
            seconds >= 0
        else { return nil }
        return received.addingTimeInterval(seconds)
    }

    /// The metadata as an update sends it: without what the server says and a client does not say back.
    ///
    /// Whoever changes it gives all of it to ``Curity/updateRegistration(_:)``: what is left out is deleted.
    var updatable: ClientMetadata {
        var metadata = metadata
        for name in ["registration_access_token_expires_in", "token_endpoint_auth_methods"] {
            metadata.members[name] = nil
        }
        return metadata
    }
}
