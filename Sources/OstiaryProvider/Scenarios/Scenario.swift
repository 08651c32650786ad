public import OstiaryJOSE
public import OstiaryOAuth

/// A named fault: a provider's deliberate error, so that a client's tests can check that it is rejected.
///
/// Each hook receives the strict provider's value. The provider's own checks stay as strict as ever.
public struct Scenario: Sendable {
    /// The name; that of the OpenID Foundation's test module where there is one.
    public private(set) var name: String
    /// Changes the metadata.
    public var metadata: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the response that names a user's issuer.
    public var webFinger: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the key set document.
    public var keySet: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the parameters of a redirect back to the client.
    public var authorizationResponse: @Sendable (inout Parameters) -> Void = { _ in }
    /// Changes an ID token before, and how, it is signed.
    public var idToken: @Sendable (inout TokenDraft) -> Void = { _ in }
    /// Changes a token response.
    public var tokenResponse: @Sendable (inout JSONObject, RegisteredClient.GrantType) -> Void = { _, _ in }
    /// Changes the parameters of a redirect back from signing out.
    public var endSessionResponse: @Sendable (inout Parameters) -> Void = { _ in }
    /// Changes signed user info before, and how, it is signed.
    public var signedUserInfo: @Sendable (inout TokenDraft) -> Void = { _ in }
    /// Changes the claims about the user.
    public var userInfo: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the device authorization response.
    public var deviceAuthorization: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Returns the response to a device's poll, counted from 1; `nil` for the usual one.
    public var devicePoll: @Sendable (_ poll: Int) -> DevicePollAnswer? = { _ in nil }
    /// Changes the introspection response.
    public var introspection: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the identifier or the secret of a client that registers, before it is kept.
    public var clientCredential: @Sendable (inout String) -> Void = { _ in }
    /// Changes the registration response.
    public var registration: @Sendable (inout JSONObject) -> Void = { _ in }
    /// The credentials that change when a client reads or updates its registration, besides those of the configuration.
    public var registrationRotation: RegistrationPolicy.Rotation = []
    /// Returns a response in place of the provider, which does nothing with the request then; `nil` for the usual one.
    public var interruption: @Sendable (ProviderRequest) -> ProviderResponse? = { _ in nil }
    /// Changes any response at all.
    public var response: @Sendable (ProviderRequest, inout ProviderResponse) -> Void = { _, _ in }
    /// Changes the response to a pushed authorization request.
    public var pushedAuthorization: @Sendable (inout JSONObject) -> Void = { _ in }
    /// Changes the provider's manners.
    public var manners: @Sendable (inout ProviderManners) -> Void = { _ in }
    /// The behavior for the nonces of DPoP proofs.
    public var dpopNonces: DPoPNonceBehavior = .configured
    /// Its behaviour at proof keys in device requests.
    public var deviceProofKeys = DeviceProofKeyBehavior.optional
    /// Whether every key is replaced, and the old ones withdrawn, before tokens are signed.
    public var rotatesKeysBeforeSigning = false
    /// The change to the keys before a refreshed ID token is signed.
    public var keysAtRefresh: KeyChange = .kept

    /// A change of the provider's keys.
    public enum KeyChange: Sendable, Hashable {
        /// None.
        case kept
        /// A new key signs; the old one stays in the key set.
        case added
        /// A new key signs; the old one is withdrawn.
        case replaced
        /// The key of the provider's second algorithm signs from then on, and the metadata names that algorithm alone;
        /// until then it names the first one alone.
        case otherAlgorithm
    }

    /// Starts a scenario that changes nothing yet.
    public init(name: String) { self.name = name }

    /// Makes a scenario from changes to the strict one.
    public init(name: String, _ change: (inout Scenario) -> Void) {
        self.init(name: name)
        change(&self)
    }

    /// Makes a scenario from changes to another one.
    public init(name: String, from other: Scenario, _ change: (inout Scenario) -> Void = { _ in }) {
        self = other
        self.name = name
        change(&self)
    }

    /// No fault.
    public static let none = Scenario(name: "none")
}

extension Scenario: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
