package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenSet {
    /// The tokens as bytes for a sealed store, with the key that they are bound to.
    ///
    /// Only this package can write and read them: a public way in would be a way round the checks.
    package func stored() throws(SignInError) -> JSONObject {
        var object = access.stored()
        object["issuer"] = .string(issuer.description)
        object["client_id"] = .string(clientID)
        object["refresh_token"] = refreshToken.map { .string($0.reveal()) }
        object["refresh_token_expires_at"] = refreshTokenExpiry.map { .number($0.timeIntervalSince1970) }
        object["id_token"] = identity.map { .string($0.compact.reveal()) }
        if !additionalMembers.isEmpty { object["additional"] = .object(additionalMembers.stored()) }
        object["sign_in_resource"] = signInResource.map { .string($0.description) }
        object["issued_token_type"] = issuedTokenType.map { .string($0.rawValue) }
        var resources = JSONObject()
        var targets: [JSONValue] = []
        for (target, token) in targetTokens {
            if let resource = target.resource, target.parameters.pairs.isEmpty {
                resources[resource.description] = .object(token.stored())
            } else {
                targets.append(.object(token.stored(for: target)))
            }
        }
        if !resources.isEmpty { object["resources"] = .object(resources) }
        if !targets.isEmpty { object["targets"] = .array(targets) }
        if let dpopKey { object["dpop_key"] = .object(try dpopKey.stored()) }
        if isUnproven { object["unproven"] = true }
        object["claimed"] = claimedIdentity.map { .object($0) }
        return object
    }

    /// Reads the output of ``stored()``.
    ///
    /// `keys` finds a key again that other hardware keeps.
    ///
    /// - Throws: `storage(.corrupted)`, or `keyLost` when the tokens are bound to a key that is no longer on this
    ///   device.
    package init(stored object: JSONObject, keys: ExternalKeys = .none) throws(SignInError) {
        let corrupted = SignInError(.storage, .storage(.corrupted))
        guard let issuer = object["issuer"]?.string, let clientID = object["client_id"]?.string,
            let access = AccessToken(stored: object)
        else { throw corrupted }
        var identity: IDToken?
        if let compact = object["id_token"]?.string {
            guard let token = try? VerifiedJWT.restored(compact: compact) else { throw corrupted }
            identity = IDToken(token)
        }
        var targetTokens: [AccessTokenTarget: AccessToken] = [:]
        for member in object["resources"]?.object?.members ?? [] {
            guard let resource = try? ResourceIndicator(member.name),
                let token = member.value.object.flatMap(AccessToken.init(stored:))
            else { throw corrupted }
            targetTokens[AccessTokenTarget(resource)] = token
        }
        for value in object["targets"]?.array ?? [] {
            guard let object = value.object, let target = AccessTokenTarget(stored: object),
                let token = AccessToken(stored: object)
            else { throw corrupted }
            targetTokens[target] = token
        }
        var dpopKey: DPoPKey?
        if let value = object["dpop_key"] {
            guard let members = value.object else { throw corrupted }
            dpopKey = try DPoPKey(stored: members, keys)
        }
        self.init(
            issuer: try Issuer(issuer),
            clientID: clientID,
            access: access,
            targetTokens: targetTokens,
            refreshToken: object["refresh_token"]?.string.map(Secret.init),
            refreshTokenExpiry: object.date("refresh_token_expires_at"),
            identity: identity,
            dpopKey: dpopKey,
            issuedTokenType: object["issued_token_type"]?.string.map(TokenType.init),
            additionalMembers: object["additional"]?.object.map(TokenSet.AdditionalMembers.init(stored:))
                ?? TokenSet.AdditionalMembers(),
            isUnproven: object["unproven"]?.bool ?? false,
            claimedIdentity: object["claimed"]?.object
        )
        if let resource = object["sign_in_resource"]?.string {
            guard let indicator = try? ResourceIndicator(resource) else { throw corrupted }
            signInResource = indicator
        }
    }
}

extension AccessToken {
    fileprivate func stored() -> JSONObject {
        var object: JSONObject = ["access_token": .string(value.reveal()), "scope": .string(scopes.text)]
        object["expires_at"] = expiry.map { .number($0.timeIntervalSince1970) }
        object["expires_in"] = lifetimeInSeconds.map { .number($0) }
        object["received_at"] = received.map { .number($0.timeIntervalSince1970) }
        return object
    }

    /// The token with its target.
    fileprivate func stored(for target: AccessTokenTarget) -> JSONObject {
        var object = stored()
        object["resource"] = target.resource.map { .string($0.description) }
        object["parameters"] = .array(
            target.parameters.pairs.map { .array([.string($0.name.rawValue), .string($0.value)]) }
        )
        return object
    }

    fileprivate init?(stored object: JSONObject) {
        guard let token = object["access_token"]?.string, let scope = object["scope"]?.string else { return nil }
        self.init(
            value: Secret(token),
            scopes: Scope.list(scope),
            expiry: object.date("expires_at"),
            lifetimeInSeconds: object["expires_in"]?.number,
            received: object.date("received_at")
        )
    }
}

extension AccessTokenTarget {
    fileprivate init?(stored object: JSONObject) {
        var parameters = Parameters()
        for value in object["parameters"]?.array ?? [] {
            guard let pair = value.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
                return nil
            }
            parameters.append(value, for: Parameters.Name(rawValue: name))
        }
        var resource: ResourceIndicator?
        if let text = object["resource"]?.string {
            guard let indicator = try? ResourceIndicator(text) else { return nil }
            resource = indicator
        }
        guard let target = try? AccessTokenTarget(resource: resource, parameters: parameters) else { return nil }
        self = target
    }
}
