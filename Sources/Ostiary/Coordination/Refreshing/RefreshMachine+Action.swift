package import OstiaryOAuth

extension RefreshMachine {
    /// An action of the coordinator.
    package enum Action: Sendable, Equatable {
        // These take time and bring an event; one of them is in progress at a time.
        case lock
        case read
        /// Writes the second value, or removes for `nil`, if the first one is stored.
        case swap(Record, Record?)
        /// Requests an access token for a target with a refresh token.
        case send(Record, Tokens.RefreshToken, Tokens.Target)
        case check
        case rest(Double)
        /// Revokes tokens that no caller will use.
        case revoke(Tokens)
        // These are done at once.
        case unlock
        case answer(Int, Result<Tokens, SignInError>)
        case refreshed
        /// A refresh failed, and no caller got the error.
        case failed(SignInError)
        /// The tokens are valid again, though this refresh did not request them.
        case recovered
        case ended(Session.End)
    }
}
