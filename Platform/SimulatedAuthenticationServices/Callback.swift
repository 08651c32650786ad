import Foundation

@available(iOS 17.4, macCatalyst 17.4, macOS 14.4, watchOS 10.4, tvOS 17.4, visionOS 1.1, *)
extension ASWebAuthenticationSession {
    /// documentation/authenticationservices/aswebauthenticationsession/callback
    public class Callback: NSObject {
        let rule: CallbackRule

        required init(rule: CallbackRule) {
            self.rule = rule
            super.init()
        }

        @available(*, unavailable) public override init() { fatalError() }

        public class func customScheme(_ customScheme: String) -> Self { self.init(rule: .scheme(customScheme)) }
        public class func https(host: String, path: String) -> Self { self.init(rule: .https(host: host, path: path)) }
        public func matchesURL(_ url: URL) -> Bool { rule.matches(url) }
    }
}

enum CallbackRule: Sendable {
    case scheme(String)
    case https(host: String, path: String)
    case none

    /// A custom scheme says nothing of host and path; http and https are web schemes, and never match.
    init(scheme: String?) {
        switch scheme?.lowercased() {
        case nil, "http", "https": self = .none
        case let scheme?: self = .scheme(scheme)
        }
    }

    var associatedHost: String? {
        if case .https(let host, _) = self { host } else { nil }
    }

    func matches(_ url: URL) -> Bool {
        switch self {
        case .none: false
        case .scheme(let scheme): url.scheme?.lowercased() == scheme.lowercased()
        case .https(let host, let path):
            url.scheme?.lowercased() == "https" && url.host?.lowercased() == host.lowercased() && url.path == path
        }
    }
}
