import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LogiDialect {
    /// Responds at `/api/v1`.
    func serve(_ request: ProviderRequest, at provider: Provider) async throws(LogiRefusal) -> ProviderResponse {
        let prefix = "/api/v1/me/connected_apps/"
        if request.path.utf8.starts(with: prefix.utf8) {
            guard request.method == .delete else { throw Self.methodNotAllowed }
            return try await disconnect(String(request.path.dropFirst(prefix.count)), request, at: provider)
        }
        guard let call = Call(rawValue: request.path) else {
            throw LogiRefusal(.notFound, "not_found", "There is no such resource.")
        }
        guard request.method == .post else { throw Self.methodNotAllowed }
        guard request.fields[.contentType]?.lowercased().hasPrefix("application/json") == true,
            let body = try? JSONObject(parsing: request.body, limits: .init(maximumBytes: 65_536, maximumDepth: 4))
        else { throw LogiRefusal(.badRequest, "invalid_request", "The body has to be a JSON object.") }
        switch call {
        case .devices: return try bootstrap(body, at: provider)
        case .anonymousBootstrap: return try bootstrapAnonymously(body, at: provider)
        case .keyExchange: return try await exchange(body, request, at: provider)
        case .mergeToken: return try makeSessionToken(body, request, at: provider)
        case .merge: return try merge(body, request, at: provider)
        case .connectedIdentities: return try connectIdentity(body, request, at: provider)
        case .anonymousSwap: return try swapAnonymous(body, request, at: provider)
        }
    }

    /// The resources that take a JSON object by POST.
    private enum Call: String {
        case devices = "/api/v1/devices"
        case anonymousBootstrap = "/api/v1/auth/anonymous_bootstrap"
        case keyExchange = "/api/v1/me/device_keys/exchange"
        case mergeToken = "/api/v1/me/merge/session-token"
        case merge = "/api/v1/me/merge"
        case connectedIdentities = "/api/v1/me/connected_identities"
        case anonymousSwap = "/api/v1/me/anonymous_swap"
    }

    /// The device endpoint: issues a key to a sender with the device's secret, which is returned once.
    private func bootstrap(_ body: JSONObject, at provider: Provider) throws(LogiRefusal) -> ProviderResponse {
        let name = LogiState.DeviceName(kind: .bootstrap, id: try text("device_uuid", of: body))
        _ = try platform("platform", of: body)
        let shown = try optionalText("device_secret", of: body)
        if let device = state.withLock({ $0.devices[name] }) {
            guard let shown, device.secret.matches(shown) else { throw .bareUnauthorized }
            return .json(["access_token": .string(key(of: device.owner, provider)), "token_type": "Bearer"])
        }
        guard shown == nil else { throw .bareUnauthorized }
        let (device, secret) = add(name, owner: nil, provider)
        return .json([
            "access_token": .string(key(of: device.owner, provider)), "token_type": "Bearer",
            "device_secret": .string(secret),
        ])
    }

    /// The anonymous endpoint: an account for a device, on two platforms; without the secret a new one.
    private func bootstrapAnonymously(
        _ body: JSONObject,
        at provider: Provider
    ) throws(LogiRefusal) -> ProviderResponse {
        let name = LogiState.DeviceName(kind: .anonymous, id: try text("device_id", of: body))
        guard ["ios", "macos"].contains(try platform("device_platform", of: body)) else {
            throw LogiRefusal(.unprocessableContent, "invalid_platform", "Anonymous accounts are for ios and macos.")
        }
        let nickname = try optionalText("device_name", of: body)
        var answer: JSONObject = ["token_type": "Bearer", "expires_in": 2_592_000]
        let owner: LogiState.Owner
        if let shown = try optionalText("device_secret", of: body) {
            guard let device = state.withLock({ $0.devices[name] }), device.secret.matches(shown) else {
                throw .invalidDeviceSecret
            }
            owner = device.owner
        } else {
            let (device, secret) = add(name, owner: nil, provider)
            answer["device_secret"] = .string(secret)
            owner = device.owner
        }
        answer["access_token"] = .string(key(of: owner, provider))
        var user: JSONObject = ["id": .integer(number(of: owner, provider)), "anonymous": true]
        user["nickname"] = nickname.map { .string($0) }
        answer["user"] = .object(user)
        return .json(answer)
    }

    /// The exchange: issues a device-bound key for a user's access token.
    private func exchange(
        _ body: JSONObject,
        _ request: ProviderRequest,
        at provider: Provider
    ) async throws(LogiRefusal) -> ProviderResponse {
        guard let bearer = Self.bearer(of: request),
            let active = try? await provider.activeAccessToken(bearer)
        else { throw .invalidToken }
        let subject = active.grant.subject
        try count(exchangeOf: subject, provider.now)
        let name = LogiState.DeviceName(kind: .key, id: try text("device_uuid", of: body))
        _ = try platform("platform", of: body)
        let shown = try optionalText("device_secret", of: body)
        var scopes = active.token.scopes.filter { $0 != .openID && $0 != .offlineAccess }
        if scopes.isEmpty { scopes = [.profileBasic] }
        let device: LogiState.Device
        var secret: String?
        if let known = state.withLock({ $0.devices[name] }) {
            guard known.owner == .person(subject) else {
                throw LogiRefusal(.conflict, "device_claimed_by_other_user", "The device belongs to another user.")
            }
            if let shown {
                guard known.secret.matches(shown) else { throw .invalidDeviceSecret }
                device = known
            } else {
                // The user has authenticated: the device gets a new secret.
                (device, secret) = add(name, owner: .person(subject), record: known.record, provider)
            }
        } else {
            guard shown == nil else { throw .invalidDeviceSecret }
            (device, secret) = add(name, owner: .person(subject), provider)
        }
        let pak = key(of: device.owner, scopes: scopes, clientID: active.grant.clientID, provider)
        var answer: JSONObject = [
            "access_token": .string(pak), "token_type": "Bearer",
            "scopes": .array(scopes.map { .string($0.rawValue) }),
        ]
        answer["device_secret"] = secret.map { .string($0) }
        switch options.deviceRecord {
        case .topLevelNumber: answer["device_id"] = .integer(device.record)
        case .topLevelText: answer["device_id"] = .string(String(device.record))
        case .device: answer["device"] = ["id": .integer(device.record)]
        case .user: answer["user"] = ["device_id": .integer(device.record)]
        }
        return .json(answer)
    }

    private func count(exchangeOf subject: String, _ now: Date) throws(LogiRefusal) {
        let wait: Double? = state.withLock { state in
            let recent = (state.exchanges[subject] ?? []).filter { now.timeIntervalSince($0) < 3600 }
            guard recent.count < options.exchangesPerHour else {
                return recent.first.map { 3600 - now.timeIntervalSince($0) }
            }
            state.exchanges[subject] = recent + [now]
            return nil
        }
        guard let wait else { return }
        throw LogiRefusal(.tooManyRequests, "rate_limited", "Too many device keys.", retryAfter: Int(wait.rounded(.up)))
    }

    /// Adds a device with a new secret, and with a new anonymous account when it has no owner.
    private func add(
        _ name: LogiState.DeviceName,
        owner: LogiState.Owner?,
        record: Int? = nil,
        _ provider: Provider
    ) -> (LogiState.Device, secret: String) {
        let secret = provider.random.secret()
        let device = state.withLock { state in
            let owner = owner ?? .anonymous(state.nextNumber())
            let number = record ?? state.nextNumber()
            let device = LogiState.Device(owner: owner, secret: SecretDigest(secret), record: number)
            state.devices[name] = device
            return device
        }
        return (device, secret)
    }

    /// A new key for an owner.
    func key(
        of owner: LogiState.Owner,
        scopes: [Scope] = [.profileBasic, .profileWrite],
        clientID: String? = nil,
        _ provider: Provider
    ) -> String {
        let text = "logi_pak_" + provider.random.secret()
        state.withLock {
            $0.keys[SecretDigest(text)] = LogiState.Key(owner: owner, scopes: scopes, clientID: clientID)
        }
        return text
    }

    /// Returns the user number of the vendor's own API.
    func number(of owner: LogiState.Owner, _ provider: Provider) -> Int {
        switch owner {
        case .anonymous(let number): number
        case .person(let subject):
            (provider.users.firstIndex { $0.subject.utf8.elementsEqual(subject.utf8) } ?? -1) + 1
        }
    }

    func text(_ name: String, of body: JSONObject) throws(LogiRefusal) -> String {
        guard let text = try optionalText(name, of: body) else {
            throw LogiRefusal(.badRequest, "invalid_request", "A member is missing: \(name).")
        }
        return text
    }

    func optionalText(_ name: String, of body: JSONObject) throws(LogiRefusal) -> String? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 512 else {
            throw LogiRefusal(.badRequest, "invalid_request", "A member is not a text of up to 512 bytes: \(name).")
        }
        return text
    }

    private func platform(_ name: String, of body: JSONObject) throws(LogiRefusal) -> String {
        let platform = try text(name, of: body)
        guard platform.utf8.count <= 32, platform.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else {
            throw LogiRefusal(.unprocessableContent, "invalid_platform", "The platform is unknown.")
        }
        return platform
    }

    static func bearer(of request: ProviderRequest) -> String? {
        let fields = request.fields[values: .authorization]
        let parts = fields.count == 1 ? fields[0].split(separator: " ") : []
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    private static let methodNotAllowed = LogiRefusal(.methodNotAllowed, "method_not_allowed", "Not with this method.")
}
