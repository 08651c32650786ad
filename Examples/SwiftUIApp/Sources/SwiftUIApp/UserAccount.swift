import OstiarySwiftUI

/// A user who is signed in at one of the providers.
struct UserAccount: Sendable {
    /// The user's name at the provider.
    var name: String
    /// More about the user, a line each.
    var facts: [String] = []
    /// Refreshes the tokens now, and returns the new ``facts``; `nil` at a provider without tokens to refresh.
    var renew: (@Sendable () async throws -> [String])?
    /// Ends the session.
    var leave: @Sendable () async throws -> Void
}

extension SignInSource where Account == UserAccount {
    /// The sign-in at a provider.
    static func provider(_ kind: SignInProvider.Kind, in environment: AppEnvironment) throws -> SignInSource {
        switch kind {
        case .logi: try logi(environment)
        case .logto: try logto(environment)
        case .curity: try curity(environment)
        case .ssafy: try ssafy(environment)
        case .zephr: try zephr(environment)
        }
    }
}
