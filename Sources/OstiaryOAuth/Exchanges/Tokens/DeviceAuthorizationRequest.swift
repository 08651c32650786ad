import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Requests the codes with which the user signs a device in on another one (RFC 8628 section 3.1).
public struct DeviceAuthorizationRequest: Exchange {
    /// The requested scopes.
    public let scopes: [Scope]
    let resources: [ResourceIndicator]
    let client: Client
    let server: AuthorizationServer
    /// The decisions about the request: an entry for the default scopes that were left out.
    public let verdict: Verdict
    private let dpopKey: DPoPKey?
    /// The proof key whose challenge the request carries; `nil` for a server that refuses one.
    private(set) var proofKey: ProofKey?

    /// Makes a request for codes, with a proof key: some servers require one of each client (RFC 7636), and others
    /// ignore it (RFC 8628 section 3.1).
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes; with `openid` the response must have an ID token. Default:
    ///     ``AuthorizationRequest/defaultScopes``, as far as the server lists them.
    ///   - resources: Resource servers that tokens will be requested for (RFC 8707).
    ///   - client: The client that sends the request.
    ///   - server: The server, from its metadata.
    ///   - random: A cryptographically secure source.
    /// - Throws: `configuration` or `unsupported` at stage `device` when the client's profile cannot be kept.
    public init(
        scopes: [Scope]? = nil,
        resources: [ResourceIndicator] = [],
        client: Client,
        server: AuthorizationServer,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) {
        try client.profile.check(client, at: server, .device)
        var verdict = Verdict(.device)
        self.scopes = scopes ?? Scope.defaults(at: server, recording: &verdict)
        self.verdict = verdict
        proofKey = ProofKey(using: &random)
        self.resources = resources
        self.client = client
        self.server = server
        dpopKey = try client.senderConstraint.makeKey()
    }

    /// The same request without a proof key, for a server that rejects one with `invalid_request`.
    public var withoutProofKey: DeviceAuthorizationRequest {
        var plain = self
        plain.proofKey = nil
        return plain
    }

    /// Stage `device`.
    public var stage: SignInError.Stage { .device }

    /// A POST with scopes, the code challenge and the client's authentication.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.deviceAuthorizationEndpoint else {
            throw SignInError(.device, .unsupported("a device_authorization_endpoint"))
        }
        var form = Parameters()
        if !scopes.isEmpty { form[.scope] = scopes.text }
        for resource in resources { form.append(resource.description, for: .resource) }
        if let proofKey {
            form[.codeChallenge] = proofKey.challenge
            form[.codeChallengeMethod] = "S256"
        }
        return try EndpointRequest(posting: form, to: url, as: client, at: server, &fresh)
    }

    /// Reads the codes to display (RFC 8628 section 3.2).
    public func output(from response: EndpointResponse) throws(SignInError) -> PendingDeviceAuthorization {
        guard response.status == .ok else { throw response.failure(at: .device) }
        let object = try response.answer(expecting: ["device_code"], at: .device)
        func malformed(_ member: String) -> SignInError {
            SignInError(.device, .malformed("the response's \(member)"))
        }
        func text(_ name: String) throws(SignInError) -> String {
            guard let text = object[name]?.string, (1...2048).contains(text.utf8.count) else { throw malformed(name) }
            return text
        }
        func isAbsent(_ name: String) -> Bool { object[name].map { $0.isNull || $0 == "" } ?? true }
        func page(_ name: String) throws(SignInError) -> String {
            let text = try text(name)
            // The URL is displayed to the user and may be opened: it must be a page whose traffic an attacker cannot
            // read.
            guard NamedCheck.holds("device.page.secure", URIParts(text)?.isSecureOrLoopback == true) else {
                throw malformed(name)
            }
            return text
        }
        guard let lifetime = object.seconds("expires_in"), lifetime > 0 else { throw malformed("expires_in") }
        var interval = 5.0
        if let value = object["interval"], !value.isNull {
            guard let seconds = object.seconds("interval") else { throw malformed("interval") }
            interval = seconds
        }
        // The name of an early draft, which servers still send.
        let isDraft = isAbsent("verification_uri") && !isAbsent("verification_url")
        let hasCompletePage = !isAbsent("verification_uri_complete")
        return PendingDeviceAuthorization(
            userCode: try text("user_code"),
            verificationURI: try page(isDraft ? "verification_url" : "verification_uri"),
            completeVerificationURI: hasCompletePage ? try page("verification_uri_complete") : nil,
            lifetime: Duration(boundedSeconds: lifetime),
            interval: Duration(boundedSeconds: interval),
            deviceCode: Secret(try text("device_code")),
            request: self,
            dpopKey: dpopKey
        )
    }
}

/// The codes of a device that waits for the user (RFC 8628 section 3.2).
public struct PendingDeviceAuthorization: Sendable {
    /// The code that the user enters on the other device, to be displayed unchanged.
    public let userCode: String
    /// The page on which the user enters the code.
    public let verificationURI: String
    /// The same page with the code in its URL, for a QR code; the user code must still be displayed.
    public let completeVerificationURI: String?
    /// The lifetime of the codes, counted from the response.
    public let lifetime: Duration
    /// The minimum interval between two token requests.
    public let interval: Duration
    let deviceCode: Secret
    let request: DeviceAuthorizationRequest
    let dpopKey: DPoPKey?

    /// Returns the token request that polls for the user's decision.
    public func exchange() -> TokenRequest<DeviceCodeGrant> {
        TokenRequest(DeviceCodeGrant(self), client: request.client, server: request.server)
    }
}

extension PendingDeviceAuthorization: CustomStringConvertible, CustomReflectable {
    /// The page, without the codes.
    public var description: String { "PendingDeviceAuthorization(\(verificationURI))" }
    /// The page.
    public var customMirror: Mirror { Mirror(self, children: ["page": verificationURI]) }
}
