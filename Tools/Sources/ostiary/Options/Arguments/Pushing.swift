import ArgumentParser
import OstiaryOAuth

/// The policy for pushing a request, by its names on the command line.
enum Pushing: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never

    /// The policy of the request.
    var pushing: AuthorizationRequest.Pushing {
        switch self {
        case .auto: .auto
        case .always: .always
        case .never: .never
        }
    }
}

extension ResourceIndicator {
    /// Reads several.
    static func list(_ texts: [String]) throws(SignInError) -> [ResourceIndicator] {
        var resources: [ResourceIndicator] = []
        for text in texts { resources.append(try ResourceIndicator(text)) }
        return resources
    }
}
