import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// `/admin/settings`: the rules, lifetimes, algorithms and the throttle of passwords.
    func administerSettings(_ request: ProviderRequest) async throws -> ProviderResponse {
        guard request.method == .patch else { return .json(settings.current.administered) }
        let change = try settingsChange(try administered(request, RunTimeSettings.Values.names))
        return try await changes.alone {
            // Tried first: a refused change replaces no key, and keys that cannot be stored leave the settings.
            let wanted = try settings.change(isTrial: true, change).orUnsigned
            if settings.hasOtherKeys(than: wanted.keyed) { try await rotateSigningKeys(to: wanted.keyed) }
            return .json(try settings.change(change).orUnsigned.administered)
        }
    }

    /// The change that members ask for.
    private func settingsChange(
        _ members: JSONObject
    ) throws(Refusal) -> (inout RunTimeSettings.Values) -> Void {
        let lifetimes = try members["lifetimes"].map(changedLifetimes)
        let rules = try members["rules"].map(Self.rules)
        let allowed = try members["allow"].map(Self.allowedRules)
        let refreshTokens = try members["refresh_tokens"].map(Self.refreshTokens)
        let signing = try members["signing_algorithms"].map(Self.changedAlgorithms)
        let throttle = try members["throttle"].map(changedThrottle)
        return { values in
            if let lifetimes { lifetimes(&values.lifetimes) }
            if let rules { values.named = rules }
            if let allowed { values.allowed = allowed ?? [] }
            if let refreshTokens { values.refreshTokens = refreshTokens }
            if let signing { values.signing = signing }
            if let throttle { values.throttle = throttle }
        }
    }

    /// The settings that differ from the configuration's, for a snapshot.
    func settingsSnapshot() -> JSONObject {
        let current = settings.current
        let shown = current.administered
        var object = JSONObject()
        object["rules"] = current.named.map { .string($0.name) }
        if !current.allowed.isEmpty { object["allow"] = shown["allow"] }
        object["refresh_tokens"] = current.refreshTokens.map { .string($0.rawValue) }
        object["signing_algorithms"] = current.signing.map { .strings($0.map(\.rawValue)) }
        if current.throttle != RunTimeSettings.throttle(configuration) { object["throttle"] = shown["throttle"] }
        var lifetimes = JSONObject()
        for name in ProviderConfiguration.Lifetimes.names
        where current.lifetimes[name] != configuration.lifetimes[name] {
            lifetimes[name] = shown["lifetimes"]?.object?[name]
        }
        object["lifetimes"] = .object(lifetimes)
        var clients = JSONObject()
        for (id, own) in current.clients.sorted(by: { $0.key < $1.key }) {
            clients[id] = [
                "rules": own.rules.map { .string($0.name) } ?? .null,
                "allow": own.allowed.map { .strings($0.map(\.rawValue).sorted()) } ?? .null,
            ]
        }
        object["clients"] = .object(clients)
        return object
    }

    /// The change that makes the settings of a snapshot of those of the configuration.
    func restoredSettings(_ snapshot: JSONObject) throws(Refusal) -> (inout RunTimeSettings.Values) -> Void {
        let known = RunTimeSettings.Values.names + ["clients"]
        guard snapshot.names.allSatisfy(known.contains) else {
            throw .json(.invalidRequest, "There is a member besides \(known.joined(separator: ", ")).")
        }
        let change = try settingsChange(snapshot)
        var clients: [String: RunTimeSettings.ClientRules] = [:]
        for (id, own) in (snapshot["clients"]?.object?.members ?? []).map({ ($0.name, $0.value.object) }) {
            clients[id] = RunTimeSettings.ClientRules(
                rules: try Self.rules(own?["rules"] ?? .null),
                allowed: try Self.allowedRules(own?["allow"] ?? .null)
            )
        }
        return { [clients] values in
            change(&values)
            values.clients = clients
        }
    }

    /// Changes the rules of one client: `rules` and `allow`.
    func changeRules(of client: RegisteredClient, _ request: ProviderRequest) async throws {
        let members = try administered(request, ["rules", "allow"])
        let rules = try members["rules"].map(Self.rules)
        let allowed = try members["allow"].map(Self.allowedRules)
        let id = idWithoutScenario(client.id)
        try await changes.alone {
            let changed = settings.change { values in
                var own = values.clients[id] ?? RunTimeSettings.ClientRules()
                if let rules { own.rules = rules }
                if let allowed { own.allowed = allowed }
                values.clients[id] = own.rules == nil && own.allowed == nil ? nil : own
            }
            _ = try changed.orUnsigned
        }
    }

    /// `/admin/clock`: the time, and the time by which the clock was moved forward.
    func administerClock(_ request: ProviderRequest) throws(Refusal) -> ProviderResponse {
        if request.method == .post {
            guard let step = try administered(request, ["advance"])["advance"]?.integer,
                (1...RunTimeSettings.longestLead).contains(step)
            else {
                throw .json(
                    .invalidRequest,
                    "advance is not a whole number of seconds from 1 to \(RunTimeSettings.longestLead)."
                )
            }
            guard settings.moveClock(by: .seconds(step)) else {
                let sentence = "The clock leads that of the machine by \(RunTimeSettings.longestLead) s at most."
                throw .json(OAuthError(code: .invalidRequest, description: sentence), .conflict)
            }
        }
        return .json([
            "now": .integer(now.numericDate), "advanced": .integer(Int(settings.clockLead.inSeconds)),
        ])
    }

    /// `/admin/reset`.
    func administerReset() async throws -> ProviderResponse {
        try await changes.alone { try await reset() }
        return .nothing
    }

    /// The change of lifetimes that a member asks for; `null` returns to the configuration's.
    private func changedLifetimes(
        _ member: JSONValue
    ) throws(Refusal) -> @Sendable (inout ProviderConfiguration.Lifetimes) -> Void {
        let configured = configuration.lifetimes
        if member.isNull { return { $0 = configured } }
        guard let object = member.object else {
            throw .json(.invalidRequest, "lifetimes is not an object.")
        }
        var changes: [(name: String, value: Duration)] = []
        for (name, value) in object.members.map({ ($0.name, $0.value) }) {
            guard let usual = configured[name] else {
                let names = ProviderConfiguration.Lifetimes.names.joined(separator: ", ")
                throw .json(.invalidRequest, "There is no lifetime \(name.logged). Known: \(names).")
            }
            if value.isNull {
                changes.append((name, usual))
                continue
            }
            let range = ProviderConfiguration.Lifetimes.seconds(of: name)
            guard let seconds = value.integer, range.contains(seconds) else {
                throw .json(
                    .invalidRequest,
                    "\(name) is not a whole number of seconds from \(range.lowerBound) to \(range.upperBound)."
                )
            }
            changes.append((name, .seconds(seconds)))
        }
        return { [changes] lifetimes in
            for change in changes { lifetimes[change.name] = change.value }
        }
    }

    /// The named rules of a member; `nil` for `null`, which returns to the configuration's.
    private static func rules(_ member: JSONValue) throws(Refusal) -> ProviderRules? {
        if member.isNull { return nil }
        guard let rules = member.string.flatMap(ProviderRules.named) else {
            let names = ProviderRules.all.map(\.name).joined(separator: ", ")
            throw .json(.invalidRequest, "rules is not one of \(names).")
        }
        return rules
    }

    /// The rules that requests may break; `nil` for `null`, which returns to the configuration's.
    private static func allowedRules(_ member: JSONValue) throws(Refusal) -> Set<ProviderRule>? {
        if member.isNull { return nil }
        let lenient = ProviderRule.allCases.filter { $0.lenientRules != nil }
        let names = member.array.map { $0.map { element in lenient.first { $0.rawValue == element.string } } }
        guard let names, names.allSatisfy({ $0 != nil }) else {
            let known = lenient.map(\.rawValue).joined(separator: ", ")
            throw .json(.invalidRequest, "allow is not a list with some of \(known).")
        }
        return Set(names.compactMap(\.self))
    }

    /// The replacement of refresh tokens; `nil` for `null`, which returns to that of the rules.
    private static func refreshTokens(_ member: JSONValue) throws(Refusal) -> ProviderRules.RefreshTokens? {
        if member.isNull { return nil }
        guard let value = member.string.flatMap(ProviderRules.RefreshTokens.init) else {
            throw .json(.invalidRequest, "refresh_tokens is not replaced or kept.")
        }
        return value
    }

    /// The algorithms to sign with; `nil` for `null`, which returns to the configuration's.
    private static func changedAlgorithms(_ member: JSONValue) throws(Refusal) -> [SignatureAlgorithm]? {
        if member.isNull { return nil }
        let named = member.array.map { $0.map { $0.string.flatMap(SignatureAlgorithm.init) } }
        guard let named, !named.isEmpty, named.allSatisfy({ $0 != nil }), Set(named).count == named.count else {
            let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .json(.invalidRequest, "signing_algorithms is not a list of different ones of \(known).")
        }
        return named.compactMap(\.self)
    }

    /// The wrong passwords that close a name: `failures` within `seconds`, `nil` for `false`; `null` returns to the
    /// configuration's.
    private func changedThrottle(_ member: JSONValue) throws(Refusal) -> LoginThrottle.Limits? {
        if member.isNull { return RunTimeSettings.throttle(configuration) }
        if member.bool == false { return nil }
        guard let object = member.object, Set(object.names) == ["failures", "seconds"],
            let failures = object["failures"]?.integer, (1...1000).contains(failures),
            let seconds = object["seconds"]?.integer, (1...86_400).contains(seconds)
        else {
            let form = "an object with failures from 1 to 1000 and seconds from 1 to 86400"
            throw .json(.invalidRequest, "throttle is not false or \(form).")
        }
        return LoginThrottle.Limits(failures: failures, window: .seconds(seconds))
    }
}

extension RunTimeSettings.Values? {
    /// The settings.
    ///
    /// - Throws: `invalid_request` without them: no key may sign under the rules.
    fileprivate var orUnsigned: RunTimeSettings.Values {
        get throws(Refusal) {
            if let self { return self }
            let sentence = "No signing key has an algorithm of these rules: add signing_algorithms with ES256."
            throw .json(OAuthError(code: .invalidRequest, description: sentence), .conflict)
        }
    }
}

extension RunTimeSettings.Values {
    /// The members of the settings.
    fileprivate static let names = [
        "rules", "allow", "refresh_tokens", "lifetimes", "signing_algorithms", "throttle",
    ]

    fileprivate var administered: JSONObject {
        var lifetimes = JSONObject()
        for name in ProviderConfiguration.Lifetimes.names {
            lifetimes[name] = self.lifetimes[name].map { .integer(Int($0.inSeconds)) }
        }
        return [
            "rules": .string(rules.name), "allow": .strings(allowed.map(\.rawValue).sorted()),
            "refresh_tokens": .string(rules.refreshTokens.rawValue), "lifetimes": .object(lifetimes),
            "signing_algorithms": .strings(algorithms.map(\.rawValue)),
            "throttle": throttle.map { throttle in
                ["failures": .integer(throttle.failures), "seconds": .integer(Int(throttle.window.inSeconds))]
            } ?? false,
        ]
    }
}
