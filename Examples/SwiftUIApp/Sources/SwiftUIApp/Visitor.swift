import OstiarySwiftUI

/// Somebody who came in by one of the doors.
struct Visitor: Sendable {
    /// As the provider names them.
    var name: String
    /// What else is known, a line each.
    var facts: [String] = []
    /// Renews their tokens now, and returns what is known then; `nil` at a door that has nothing to renew.
    var renew: (@Sendable () async throws -> [String])?
    /// Ends the session that they came in with.
    var leave: @Sendable () async throws -> Void
}

extension SignInSource where Account == Visitor {
    /// What a door signs in with.
    static func door(_ kind: Door.Kind, in surroundings: Surroundings) throws -> SignInSource {
        switch kind {
        case .logi: try logi(surroundings)
        case .logto: try logto(surroundings)
        case .curity: try curity(surroundings)
        case .ssafy: try ssafy(surroundings)
        case .zephr: try zephr(surroundings)
        }
    }
}
