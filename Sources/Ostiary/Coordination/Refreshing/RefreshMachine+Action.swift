package import OstiaryOAuth

extension RefreshMachine {
    /// What to do.
    package enum Action: Sendable, Equatable {
        // These take time and bring an event; one of them is under way at a time.
        case lock
        case read
        /// Writes the second value, or removes for `nil`, if the first one is stored.
        case swap(Record, Record?)
        /// Buys an access token for a target with a refresh token.
        case send(Record, Tokens.RefreshToken, Tokens.Target)
        case check
        case rest(Double)
        /// Tells the server that nobody will use these.
        case revoke(Tokens)
        // These are done at once.
        case unlock
        case answer(Int, Result<Tokens, SignInError>)
        case refreshed
        /// A refresh failed, though nobody had to be told so.
        case failed(SignInError)
        /// The tokens are good again, though this flight did not buy them.
        case recovered
        case ended(SessionEnd)
    }
}
