package import OstiaryProvider

/// A scenario of the development provider, and what a client has to do about it.
package struct ProbeCase: Sendable {
    /// The part of the protocol that a client has to use for the scenario to reach it.
    package enum Part: String, Sendable, CaseIterable {
        case signIn = "sign-in"
        case userInfo = "user info"
        case signedUserInfo = "signed user info"
        case maximumAge = "max_age"
        case authenticationContext = "acr_values"
        case refresh
        case pushedRequest = "pushed request"
        case proofOfPossession = "DPoP"
        case device
        case tokenExchange = "token exchange"
        case introspection
        case registration
        case signOut = "sign-out"
    }

    /// The behavior that a specification expects of a client.
    package enum Expectation: String, Sendable, CaseIterable {
        /// The client must refuse.
        case required
        /// The client should refuse; a specification leaves the choice.
        case recommended
        /// Nothing is wrong: the client has to accept.
        case harmless
    }

    package let scenario: Scenario
    package let part: Part
    package let expectation: Expectation
    /// The provider's deviation, as a sentence.
    package let fault: String
    /// The source of the expectation.
    package let source: String

    init(
        _ scenario: Scenario,
        _ expectation: Expectation,
        _ fault: String,
        _ source: String,
        in part: Part = .signIn
    ) {
        self.scenario = scenario
        self.part = part
        self.expectation = expectation
        self.fault = fault
        self.source = source
    }

    package var name: String { scenario.name }

    /// The sign-in without a fault, which the client has to complete before anything else is played.
    package static let baseline = ProbeCase(.none, .harmless, "Nothing is wrong.", "OpenID Connect Core section 3.1")

    /// Every case, the baseline first.
    package static let all: [ProbeCase] =
        [baseline] + identity + responses + keys + tolerance + userInfo + refresh + others

    /// The case of a scenario; `nil` for a scenario without one.
    package static func named(_ name: String) -> ProbeCase? { all.first { $0.name == name } }

    /// The names of the scenarios that are not played, with the reason.
    package static let notPlayed: [String: String] = {
        var reasons = [
            "offline-access-needs-consent": "the user decides about offline access",
            "offline-access-ignored": "the user decides about offline access",
            "offline-access-without-refresh-token": "a client may sign in without a refresh token",
            "offline-access-unknown": "the provider refuses by itself",
            "device-proof-key-required": "the provider refuses by itself",
            "device-proof-key-rejected": "the provider refuses by itself",
            "oidcc-client-test-kid-absent-multiple-jwks": "a client may accept or refuse",
            "par-invalid-request": "the provider refuses by itself",
            "par-zero-expires-in": "the pushed request has ended before the client can use it",
            "par-negative-expires-in": "the pushed request has ended before the client can use it",
            "invalid-target": "the provider refuses by itself",
            "unavailable": "the provider refuses by itself",
        ]
        let fapi = Scenario.all.drop { $0.name != Scenario.fapiHappyPath.name }
        for scenario in fapi { reasons[scenario.name] = "a scenario of another part, with the settings of FAPI" }
        return reasons
    }()
}
