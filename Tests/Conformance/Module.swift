import OstiaryOAuth
import OstiaryProvider
import Testing

/// One module of the OpenID Foundation's suite for relying parties, or one of ours where the suite has none.
struct Module: Sendable, CustomTestStringConvertible {
    /// The plan that a module belongs to, and with it what the client is and does.
    enum Plan: String, Sendable, CaseIterable {
        case basic = "Basic RP"
        case configuration = "Config RP"
        case dynamic = "Dynamic RP"
        case refresh = "Refresh token"
        case logout = "RP-Initiated Logout RP"
        case fapi = "FAPI 2.0 Security Profile RP"
        case own = "Not in the suite"
        case ownFAPI = "Not in the suite, FAPI 2.0"
    }

    /// The required outcome.
    enum Expectation: Sendable, Hashable {
        /// The journey goes to its end.
        case accepted
        /// It stops with this error; nothing that follows is sent, and nothing of the answer is kept.
        case refused(SignInError)
    }

    let plan: Plan
    /// The module's name in the suite.
    let name: String
    /// The behavior of the provider.
    let provider: String
    let scenario: Scenario
    let expectation: Expectation
    /// The module's change of the client or its request.
    let setting: Setting

    /// A module's change of the client or its request.
    struct Setting: Sendable {
        var request = AuthorizationRequest(scopes: [.openID, .profile, .email, .offlineAccess])
        var change: @Sendable (inout Client) -> Void = { _ in }
        /// The text that the user typed, by which the issuer is found.
        var identifier: String?
        /// Whether the client registers itself first.
        var registers = false
        var registration: @Sendable (inout ClientMetadata) -> Void = { _ in }
        var registered: @Sendable (inout RegisteredClient) -> Void = { _ in }
    }

    init(
        _ plan: Plan,
        _ name: String,
        _ provider: String,
        _ scenario: Scenario,
        _ expectation: Expectation,
        setting: Setting = Setting()
    ) {
        self.plan = plan
        self.name = name
        self.provider = provider
        self.scenario = scenario
        self.expectation = expectation
        self.setting = setting
    }

    var testDescription: String { name }
}

extension Module.Expectation {
    static func refused(_ stage: SignInError.Stage, _ check: SignInError.Check) -> Module.Expectation {
        .refused(SignInError(stage, .mismatch(check)))
    }

    static func malformed(_ stage: SignInError.Stage, _ part: String) -> Module.Expectation {
        .refused(SignInError(stage, .malformed(part)))
    }

    /// For a user.
    var sentence: String {
        switch self {
        case .accepted: "accepted"
        case .refused(let error): "rejected at \(error.stage.rawValue): \(error.message)"
        }
    }
}
