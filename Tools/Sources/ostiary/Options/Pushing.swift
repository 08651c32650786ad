import ArgumentParser
import OstiaryOAuth

/// When a request is pushed, by the names that the command line has for it.
enum Pushing: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never

    /// What it is called in a request.
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
