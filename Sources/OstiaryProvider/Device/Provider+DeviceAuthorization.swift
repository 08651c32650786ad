import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The device authorization endpoint (RFC 8628 section 3.1).
    func authorizeDevice(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (client, form) = try await clientRequest(request)
        guard client.grantTypes.contains(.deviceCode) else {
            throw Refusal.json(.unauthorizedClient, "The client is not registered for device codes.")
                .mended(by: "Add \(RegisteredClient.GrantType.deviceCode.rawValue) to the client's grant_types.")
        }
        let scopes: [Scope]
        switch CheckedAuthorization.granted(form[.scope], client, self) {
        case .success(let granted):
            scopes = granted.scopes
            reportAdmissions(granted.admissions, of: client, request)
            reportOmission(of: granted.omitted, for: client, request)
        case .failure(let problem):
            throw Refusal.json(.invalidScope, problem.sentence).breaking(problem.rule).mended(by: problem.mend)
        }
        let challenge = try proofKeyChallenge(in: form)
        let secret = random.secret()
        let lifetime = lifetimes.deviceCode.inSeconds
        let device = PendingDevice(
            key: SecretDigest(secret).text,
            clientID: client.id,
            scopes: scopes,
            resources: try configuration.resources(in: form).map(\.identifier),
            userCode: try await freeUserCode(),
            expires: now.addingTimeInterval(lifetime),
            challenge: challenge
        )
        try await storage.put(device.record(remembered: remembered(device)))
        try await storage.put(device.userCodeRecord)
        let complete = Self.extend(routes.url(.device), with: Parameters([.userCode: device.userCode.formatted]))
        var response: JSONObject = [
            "device_code": .string(secret),
            "user_code": .string(device.userCode.formatted),
            "verification_uri": .string(routes.url(.device)),
            "verification_uri_complete": .string(complete),
            "expires_in": .integer(Int(lifetime)),
            "interval": .integer(Int(DevicePolling.firstInterval)),
        ]
        scenario.deviceAuthorization(&response)
        return .json(response)
    }

    /// Redeems a device code (RFC 8628 sections 3.4 and 3.5).
    func redeemDeviceCode(
        _ form: Parameters,
        _ client: RegisteredClient,
        _ proofKey: String?
    ) async throws -> ProviderResponse {
        let secret = try required(.deviceCode, form)
        let invalid = Refusal.json(.invalidGrant, "The device_code is unknown, used, or another client's.")
        let key = SecretDigest(secret).text
        guard let device = try await storage.record(.deviceCode, key).flatMap(PendingDevice.init),
            device.clientID.utf8.elementsEqual(client.id.utf8)
        else { throw invalid }
        if let challenge = device.challenge {
            let verifier = try required(.codeVerifier, form)
            guard constantTimeEqual(SecretDigest(verifier).text, challenge) else { throw invalid }
        }
        var polling = try await storage.record(.devicePolling, key).flatMap(DevicePolling.init) ?? DevicePolling()
        let isEarly = polling.poll(at: now)
        let fault = scenario.devicePoll(polling.count)
        if fault == .slowDown, !isEarly { polling.interval += DevicePolling.step }
        try await storage.put(polling.record(device, remembered: remembered(device)))
        if let fault { return fault.response }
        guard device.expires > now else { throw Refusal.json(.expiredToken, "The device_code is too old.") }
        switch try await storage.record(.deviceDecision, key).map(DeviceDecision.init) {
        case nil where isEarly:
            throw Refusal.json(.slowDown, "The device polls too often: it has to wait 5 s more from now on.")
        case nil: throw Refusal.json(.authorizationPending, "The user has not decided yet.")
        case .denied: throw Refusal.json(.accessDenied, "The user did not allow this.")
        case .allowed(let id):
            let approved = try await grant(id)
            let resources = try approved.map { grant throws(Refusal) in try self.resources(of: grant, in: form) } ?? []
            switch try await storage.use(.deviceCode, key) {
            case .absent: throw invalid
            case .again:
                // Two clients have the code, as with an authorization code: both lose its tokens.
                try await storage.remove(.family(id))
                throw invalid
            case .first: break
            }
            guard let grant = try await grant(id) else { throw invalid }
            return try await issueTokens(
                grant,
                client,
                scopes: grant.scopes,
                nonce: nil,
                .deviceCode,
                invalid,
                TokenTarget(keyThumbprint: proofKey, resources: resources)
            )
        }
    }

    /// The S256 challenge of a device request; `nil` for none.
    private func proofKeyChallenge(in form: Parameters) throws(Refusal) -> String? {
        guard let challenge = form[.codeChallenge] else {
            guard scenario.deviceProofKeys != .required else {
                throw .json(.invalidRequest, "The code_challenge is missing.")
            }
            return nil
        }
        guard scenario.deviceProofKeys != .rejected else {
            throw .json(.invalidRequest, "The code_challenge is not supported here.")
        }
        guard form[.codeChallengeMethod] == "S256", (try? Base64URL.decode(challenge))?.count == 32 else {
            throw .json(.invalidRequest, "The code_challenge is not a SHA-256 in base64url (S256).")
        }
        return challenge
    }

    /// Twice the lifetime of the codes: a device that polls late then gets `expired_token`.
    func remembered(_ device: PendingDevice) -> Date {
        device.expires.addingTimeInterval(lifetimes.deviceCode.inSeconds)
    }

    /// Returns a user code that no other device has at the moment.
    private func freeUserCode() async throws -> UserCode {
        var code = UserCode(random)
        while let other = try await storage.record(.userCode, code.key), other.expires.map({ $0 > now }) ?? true {
            code = UserCode(random)
        }
        return code
    }
}
