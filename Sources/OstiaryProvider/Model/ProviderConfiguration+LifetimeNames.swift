extension ProviderConfiguration.Lifetimes {
    /// The names of the lifetimes in a configuration file and at the administration, where each has whole seconds.
    public static var names: [String] { named.map(\.name) }

    /// The seconds that a lifetime may have in a configuration file and at the administration.
    ///
    /// An authorization code lives for a minute at most.
    public static func seconds(of name: String) -> ClosedRange<Int> {
        switch name {
        case "authorization_code": 1...60
        case "refresh_token_reuse": 0...315_360_000
        default: 1...315_360_000
        }
    }

    /// The lifetime with a name; `nil` for an unknown name, which nothing can be set for.
    public subscript(name: String) -> Duration? {
        get { Self.named.first { $0.name == name }.map { self[keyPath: $0.path] } }
        set {
            guard let newValue, let path = Self.named.first(where: { $0.name == name })?.path else { return }
            self[keyPath: path] = newValue
        }
    }

    private static var named: [(name: String, path: WritableKeyPath<Self, Duration>)] {
        [
            ("authorization_code", \.authorizationCode), ("access_token", \.accessToken),
            ("refresh_token", \.refreshToken), ("refresh_token_reuse", \.refreshTokenReuse), ("id_token", \.idToken),
            ("login_session", \.loginSession), ("interaction", \.interaction), ("pushed_request", \.pushedRequest),
            ("device_code", \.deviceCode),
        ]
    }
}
