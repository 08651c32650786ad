import OstiaryCompatibility
package import OstiaryJOSE

/// The settings that the administration changes while the provider runs; the configuration's until then.
final class RunTimeSettings: Sendable {
    /// The settings of one moment.
    struct Values: Sendable {
        /// The lifetimes of what is made from now on.
        var lifetimes: ProviderConfiguration.Lifetimes
        /// The longest lifetimes since the start, of which some token or login may still be.
        fileprivate(set) var longestLifetimes: ProviderConfiguration.Lifetimes
        /// The name of other rules than the configuration's; `nil` for those.
        var named: ProviderRules?
        /// The rules that requests of every client without rules of its own may break.
        var allowed: Set<ProviderRule> = []
        /// The replacement of refresh tokens; `nil` for that of the rules.
        var refreshTokens: ProviderRules.RefreshTokens?
        /// The algorithms to sign with, the default first; `nil` for the configuration's.
        var signing: [SignatureAlgorithm]?
        /// The wrong passwords that close a name; `nil` for as many as a client likes.
        var throttle: LoginThrottle.Limits?
        /// The rules of single clients, by identifier.
        var clients: [String: ClientRules] = [:]
        /// The rules of clients without rules of their own, as the members above make them.
        fileprivate(set) var rules: ProviderRules
        /// The algorithms that clients request or that tokens are signed with, the default first.
        fileprivate(set) var algorithms: [SignatureAlgorithm]
        /// The algorithms that the provider has a key for, the default first.
        fileprivate(set) var keyed: [SignatureAlgorithm]
    }

    /// The rules of one client.
    struct ClientRules: Sendable {
        /// Its own rules; `nil` for those of its registration or the provider.
        var rules: ProviderRules?
        /// The rules that its requests may break; `nil` for those of its registration.
        var allowed: Set<ProviderRule>?
    }

    private let initial: Values
    private let configuration: ProviderConfiguration
    private let values: Lock<Values>
    private let lead = Lock(Duration.zero)

    init(_ configuration: ProviderConfiguration) {
        self.configuration = configuration
        initial = Values(
            lifetimes: configuration.lifetimes,
            longestLifetimes: configuration.lifetimes,
            throttle: Self.throttle(configuration),
            rules: configuration.rules,
            algorithms: configuration.algorithms,
            keyed: configuration.algorithms
        )
        values = Lock(initial)
    }

    var current: Values { values.withLock { $0 } }
    var lifetimes: ProviderConfiguration.Lifetimes { values.withLock { $0.lifetimes } }
    var longestLifetimes: ProviderConfiguration.Lifetimes { values.withLock { $0.longestLifetimes } }
    var rules: ProviderRules { values.withLock { $0.rules } }
    var algorithms: [SignatureAlgorithm] { values.withLock { $0.algorithms } }
    var throttle: LoginThrottle.Limits? { values.withLock { $0.throttle } }
    func clientRules(_ id: String) -> ClientRules? { values.withLock { $0.clients.isEmpty ? nil : $0.clients[id] } }

    /// The time by which the provider's clock was moved forward.
    var clockLead: Duration { lead.withLock { $0 } }

    /// The settings that a change is made of.
    enum Basis {
        case current, start
    }

    /// Changes the settings; no other change comes between.
    ///
    /// - Parameters:
    ///   - isTrial: Whether to return the result alone, and keep nothing. Default: no.
    ///   - basis: The settings to change. Default: those of this moment.
    ///   - body: Makes the change.
    /// - Returns: The settings, or `nil` for rules under which no key of the provider may sign; nothing has changed then.
    func change(isTrial: Bool = false, of basis: Basis = .current, _ body: (inout Values) -> Void) -> Values? {
        values.withLock { values in
            var changed = basis == .current ? values : initial
            changed.longestLifetimes = values.longestLifetimes
            body(&changed)
            changed.rules = (changed.named ?? configuration.rules).allowing(changed.allowed)
            if let refreshTokens = changed.refreshTokens { changed.rules.refreshTokens = refreshTokens }
            var whole = configuration
            whole.rules = changed.rules
            if let signing = changed.signing { whole.signingAlgorithms = signing }
            changed.keyed = changed.signing.map { keyed($0) } ?? initial.keyed
            changed.algorithms = whole.algorithms.filter(changed.keyed.contains)
            var accepted = [changed.rules] + changed.clients.values.compactMap(\.rules)
            if changed.signing != nil { accepted += configuration.clients.compactMap(\.rules) }
            guard accepted.allSatisfy({ !$0.algorithms.isDisjoint(with: changed.algorithms) }) else { return nil }
            for name in ProviderConfiguration.Lifetimes.names {
                guard let lifetime = changed.lifetimes[name], let longest = changed.longestLifetimes[name] else {
                    continue
                }
                changed.longestLifetimes[name] = max(lifetime, longest)
            }
            if !isTrial { values = changed }
            return changed
        }
    }

    /// The algorithms to have keys for: those to sign with, and those that clients of the configuration request.
    private func keyed(_ signing: [SignatureAlgorithm]) -> [SignatureAlgorithm] {
        let requested = configuration.clients.flatMap { [$0.idTokenAlgorithm, $0.userInfoAlgorithm] }
        return (signing + requested.compactMap(\.self)).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Whether the keys are for other algorithms than these.
    func hasOtherKeys(than algorithms: [SignatureAlgorithm]) -> Bool { Set(current.keyed) != Set(algorithms) }

    /// The wrong passwords that close a name under a configuration.
    static func throttle(_ configuration: ProviderConfiguration) -> LoginThrottle.Limits? {
        configuration.wrongPasswords == .throttled ? LoginThrottle.Limits() : nil
    }

    /// Forgets the rules of a client that is removed.
    func forget(client id: String) { values.withLock { $0.clients[id] = nil } }

    /// Returns to the configuration's settings; the clock stays, since it never goes back, and so do the longest
    /// lifetimes: clients have the tokens still.
    func reset() {
        values.withLock { [initial] values in
            let longest = values.longestLifetimes
            values = initial
            values.longestLifetimes = longest
        }
    }

    /// Moves the clock forward.
    ///
    /// - Returns: Whether it has moved: it leads the machine's by ten years at most.
    func moveClock(by step: Duration) -> Bool {
        lead.withLock { lead in
            guard lead + step <= .seconds(Self.longestLead) else { return false }
            lead += step
            return true
        }
    }

    /// Sets the clock's lead, which may be a shorter one.
    func setClock(lead: Duration) { self.lead.withLock { $0 = lead } }

    /// Ten years, in seconds.
    static let longestLead = 315_360_000
}

extension Provider {
    /// The lifetimes of what is made now.
    var lifetimes: ProviderConfiguration.Lifetimes { settings.lifetimes }
    /// The rules of clients without rules of their own.
    var rules: ProviderRules { settings.rules }
    /// The algorithms that clients request or that tokens are signed with, the default first.
    package var algorithms: [SignatureAlgorithm] { settings.algorithms }

    /// The configuration with the settings of this moment.
    var currentConfiguration: ProviderConfiguration {
        let current = settings.current
        var configuration = configuration
        configuration.rules = current.rules
        configuration.lifetimes = current.lifetimes
        configuration.signingAlgorithms = current.algorithms
        return configuration
    }
}
