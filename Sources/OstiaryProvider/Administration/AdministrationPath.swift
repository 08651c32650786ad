import HTTPTypes
import OstiaryOAuth

/// A resource of the administration: a collection below `/admin`, or an element of one.
enum AdministrationPath: Sendable, Hashable {
    case users
    case user(name: String)
    case clients
    case client(id: String)
    case sessions
    case session(id: String)
    case keys
    case scenarios
    case settings
    case clock
    case requests
    case reset
    case snapshot

    /// Reads the path behind `/admin/`; `nil` for no resource.
    init?(_ path: Substring) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        // In a path a plus is a plus.
        let id = parts.count == 2 && !parts[1].contains("+") ? FormURLEncoding.unescape(parts[1]) : nil
        switch (parts.count, parts.first, id) {
        case (1, "users", _): self = .users
        case (1, "clients", _): self = .clients
        case (1, "sessions", _): self = .sessions
        case (1, "keys", _): self = .keys
        case (1, "scenarios", _): self = .scenarios
        case (1, "settings", _): self = .settings
        case (1, "clock", _): self = .clock
        case (1, "requests", _): self = .requests
        case (1, "reset", _): self = .reset
        case (1, "snapshot", _): self = .snapshot
        case (2, "users", let id?) where !id.isEmpty: self = .user(name: id)
        case (2, "clients", let id?) where !id.isEmpty: self = .client(id: id)
        case (2, "sessions", let id?) where !id.isEmpty: self = .session(id: id)
        default: return nil
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .users: [.get]
        case .user: [.get, .put, .delete]
        case .clients, .keys, .clock: [.get, .post]
        case .client: [.get, .patch, .delete]
        case .sessions, .session, .requests: [.get, .delete]
        case .scenarios: [.get, .put]
        case .settings: [.get, .patch]
        case .reset: [.post]
        case .snapshot: [.get, .put]
        }
    }
}

extension Routes {
    /// The path behind `/admin/`; `nil` for any other path.
    func administrationPath(_ path: String) -> Substring? {
        let prefix = administrationPrefix
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        return path[path.utf8.index(path.startIndex, offsetBy: prefix.utf8.count)...]
    }
}
