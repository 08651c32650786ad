import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
package import OstiaryProvider
import Synchronization

/// The observations of a client at the provider in one run.
package final class ProbeWatch: Sendable {
    private struct State {
        var isReached = false
        var parts: Set<ProbeCase.Part> = [.signIn]
        var usedToken = false
        var requests: [String] = []
    }

    private let state = Mutex(State())

    /// Starts to watch.
    package init() {}

    /// Whether the fault was sent.
    package var isReached: Bool { state.withLock { $0.isReached } }
    /// The parts of the protocol that the client used.
    package var parts: Set<ProbeCase.Part> { state.withLock { $0.parts } }
    /// Whether the client presented an access token to the provider's user info endpoint, which took it.
    package var usedToken: Bool { state.withLock { $0.usedToken } }
    /// Each request as method, path and status.
    package var requests: [String] { state.withLock { $0.requests } }

    /// The scenario, with each change and each request of the client noted.
    package func watching(_ scenario: Scenario) -> Scenario {
        let changesSettings =
            scenario.rotatesKeysBeforeSigning || scenario.keysAtRefresh != .kept
            || [Scenario.textualLifetime.name, Scenario.noRotation.name].contains(scenario.name)
        return Scenario(name: scenario.name, from: scenario) { watched in
            watched.metadata = { [self] in noting(&$0, scenario.metadata) }
            watched.webFinger = { [self] in noting(&$0, scenario.webFinger) }
            watched.keySet = { [self] in noting(&$0, scenario.keySet) }
            watched.authorizationResponse = { [self] in noting(&$0, scenario.authorizationResponse) }
            watched.idToken = { [self] draft in
                noteChange(of: &draft, scenario.idToken)
                if changesSettings { reach() }
            }
            watched.signedUserInfo = { [self] draft in
                note(.signedUserInfo)
                noteChange(of: &draft, scenario.signedUserInfo)
            }
            watched.tokenResponse = { [self] object, type in
                if type == .refreshToken { note(.refresh) }
                if type == .tokenExchange { note(.tokenExchange) }
                noting(&object) { scenario.tokenResponse(&$0, type) }
                if changesSettings { reach() }
            }
            watched.endSessionResponse = { [self] in
                note(.signOut)
                noting(&$0, scenario.endSessionResponse)
            }
            watched.userInfo = { [self] in noting(&$0, scenario.userInfo) }
            watched.deviceAuthorization = { [self] in
                note(.device)
                noting(&$0, scenario.deviceAuthorization)
            }
            watched.devicePoll = { [self] poll in
                let answer = scenario.devicePoll(poll)
                if answer != nil { reach() }
                return answer
            }
            watched.introspection = { [self] in
                note(.introspection)
                noting(&$0, scenario.introspection)
            }
            watched.clientCredential = { [self] in noting(&$0, scenario.clientCredential) }
            watched.registration = { [self] in
                note(.registration)
                noting(&$0, scenario.registration)
                if !scenario.registrationRotation.isEmpty { reach() }
            }
            watched.pushedAuthorization = { [self] in
                note(.pushedRequest)
                noting(&$0, scenario.pushedAuthorization)
            }
            watched.response = { [self] request, response in
                noteRequest(request, response, isProofFault: scenario.dpopNonces != .configured)
                let before = Message(response)
                scenario.response(request, &response)
                if Message(response) != before { reach() }
            }
        }
    }

    private func reach() { state.withLock { $0.isReached = true } }

    private func note(_ part: ProbeCase.Part) {
        state.withLock { _ = $0.parts.insert(part) }
    }

    private func noting<Value: Equatable>(_ value: inout Value, _ change: (inout Value) -> Void) {
        let before = value
        change(&value)
        if value != before { reach() }
    }

    private func noteChange(of draft: inout TokenDraft, _ change: (inout TokenDraft) -> Void) {
        let (header, claims) = (draft.header, draft.claims)
        change(&draft)
        if case .valid = draft.signature, draft.header == header, draft.claims == claims { return }
        reach()
    }

    private func noteRequest(_ request: ProviderRequest, _ response: ProviderResponse, isProofFault: Bool) {
        let hasProof = HTTPField.Name("DPoP").map { request.fields[$0] != nil } ?? false
        let parameters = (request.query ?? "") + "&" + String(decoding: request.body, as: UTF8.self)
        state.withLock { state in
            state.requests.append("\(request.method.rawValue) \(request.path) \(response.status.code)")
            if hasProof { state.parts.insert(.proofOfPossession) }
            if hasProof, isProofFault { state.isReached = true }
            if request.path.hasSuffix("/userinfo"), request.fields[.authorization] != nil {
                state.parts.insert(.userInfo)
                if response.status == .ok { state.usedToken = true }
            }
            if parameters.contains("max_age=") { state.parts.insert(.maximumAge) }
            if parameters.contains("acr_values=") { state.parts.insert(.authenticationContext) }
        }
    }
}

/// The parts of a response that a client can see.
private struct Message: Equatable {
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let bytes: [UInt8]?

    init(_ response: ProviderResponse) {
        status = response.status
        fields = response.fields
        bytes = if case .bytes(let bytes) = response.content { bytes } else { nil }
    }
}
