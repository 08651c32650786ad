package import OstiaryJOSE
package import OstiaryOAuth

/// The values that a session needs besides its tokens, so that later commands need no options for them.
package struct ProfileRecord: Sendable, Hashable {
    package var issuer: Issuer
    package var clientID: String
    package var redirectURI: RedirectURI
    package var authentication: Authentication
    package var scopes: [Scope]
    package var security = Security.standard
    /// Whether new tokens are bound to a key (RFC 9449); the key itself is in the session.
    package var isBound = false
    package var idTokenAlgorithm: SignatureAlgorithm?
    package var userInfoAlgorithm: SignatureAlgorithm?
    /// The issuer's deviations from the specifications that are accepted.
    package var manners = ServerManners()
    /// The issuer's metadata, where it was given by hand.
    package var metadata: ServerMetadata?
    /// The fingerprint of an access token that was revoked, so that no command hands it out.
    package var revokedToken: String?

    /// The client's authentication.
    package enum Authentication: Sendable, Hashable {
        case none
        case clientSecretBasic(Secret)
        case clientSecretPost(Secret)
        case privateKeyJWT(ClientKeyFile)
        /// As the client is registered, which may change: the registration is next to the profile.
        case registered(ClientKeyFile?)
    }

    package init(
        issuer: Issuer,
        clientID: String,
        redirectURI: RedirectURI,
        authentication: Authentication = .none,
        scopes: [Scope]
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.authentication = authentication
        self.scopes = scopes
    }

    /// Returns the client that the record describes.
    ///
    /// A key or a registration that is missing or damaged is an error of the request that needs it: the session can
    /// still be read, and removed.
    ///
    /// - Throws: `configuration` for an invalid client, such as one with an empty identifier; `storage` when the store
    ///   cannot be used now.
    func client(of profile: Profile) async throws(SignInError) -> Client {
        var validation = Client.ValidationPolicy(userInfoAlgorithm: userInfoAlgorithm)
        if let idTokenAlgorithm { validation.idTokenAlgorithms = [idTokenAlgorithm] }
        return try Client(
            id: clientID,
            redirectURI: redirectURI,
            authentication: try await method(of: profile),
            validation: validation,
            senderConstraint: isBound ? .dpop : .none,
            profile: security.profile,
            manners: manners
        )
    }

    private func method(of profile: Profile) async throws(SignInError) -> ClientAuthentication {
        switch authentication {
        case .none: return .none
        case .clientSecretBasic(let secret): return .clientSecretBasic(secret)
        case .clientSecretPost(let secret): return .clientSecretPost(secret)
        case .privateKeyJWT(let file): return file.authentication
        case .registered(let file):
            let registration: ClientRegistration?
            do throws(SignInError) {
                registration = try await profile.registration()
            } catch {
                if case .storage(let failure) = error.reason, failure != .corrupted { throw error }
                return .impossible(
                    "The registration of this session's client cannot be read. Forget it, and register again: "
                        + CommandArguments.line(of: ["register", "delete", "--forget"])
                )
            }
            guard let registration, registration.issuer == issuer,
                JSONValue.string(registration.clientID) == .string(clientID)
            else { return .impossible("The client of this session is not registered any more: sign in again.") }
            if registration.metadata.authenticationMethod == "private_key_jwt", let file { return file.authentication }
            return authentication(registration)
        }
    }

    /// Returns the registered authentication.
    ///
    /// The current session needs no redirect URI, so one that is no longer registered ends nothing; the next sign-in
    /// checks it.
    private func authentication(_ registration: ClientRegistration) -> ClientAuthentication {
        let registered = registration.metadata.redirectURIs.lazy.compactMap { try? RedirectURI($0) }.first
        do throws(SignInError) {
            return try registration.client(redirectURI: registered ?? redirectURI).authentication
        } catch {
            return .impossible(error.message)
        }
    }
}

extension ClientKeyFile {
    fileprivate var authentication: ClientAuthentication {
        do throws(SignInError) {
            return .privateKeyJWT(try key(), audience: audience)
        } catch {
            return .impossible(error.message, for: algorithm)
        }
    }
}

extension ClientAuthentication {
    /// A client that cannot authenticate: each request that requires authentication fails with this error.
    fileprivate static func impossible(
        _ sentence: String,
        for algorithm: SignatureAlgorithm? = nil
    ) -> ClientAuthentication {
        ClientAuthentication(method: "none", algorithm: algorithm) { (_, _, _, _) throws(SignInError) in
            throw SignInError(.token, .configuration(sentence))
        }
    }
}

extension ProfileRecord {
    /// The record as bytes for a sealed store: the client's secret is in them.
    package var bytes: [UInt8] {
        var object: JSONObject = [
            "version": 1,
            "issuer": .string(issuer.description),
            "client_id": .string(clientID),
            "redirect_uri": .string(redirectURI.description),
            "scope": .string(scopes.text),
        ]
        for member in authentication.members.members { object[member.name] = member.value }
        object["security_profile"] = security == .standard ? nil : .string(security.rawValue)
        object["dpop_bound_access_tokens"] = isBound ? true : nil
        object["id_token_signed_response_alg"] = idTokenAlgorithm.map { .string($0.rawValue) }
        object["userinfo_signed_response_alg"] = userInfoAlgorithm.map { .string($0.rawValue) }
        object["server_metadata"] = metadata.map { .string($0.text) }
        object["revoked_token"] = revokedToken.map { .string($0) }
        object["server_manners"] = manners == ServerManners() ? nil : .object(manners.members)
        return object.encoded()
    }

    /// Reads the output of ``bytes``.
    ///
    /// - Throws: `corrupted`.
    package init(_ bytes: [UInt8]) throws(StorageFailure) {
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let issuer = object["issuer"]?.string.flatMap({ try? Issuer($0) }),
            let clientID = object["client_id"]?.string,
            let redirectURI = object["redirect_uri"]?.string.flatMap({ try? RedirectURI($0) }),
            let scope = object["scope"]?.string
        else { throw .corrupted }
        self.init(
            issuer: issuer,
            clientID: clientID,
            redirectURI: redirectURI,
            authentication: try Authentication(object),
            scopes: Scope.list(scope)
        )
        security = try object.value("security_profile", Security.init) ?? .standard
        isBound = object["dpop_bound_access_tokens"]?.bool ?? false
        idTokenAlgorithm = try object.value("id_token_signed_response_alg", SignatureAlgorithm.init)
        userInfoAlgorithm = try object.value("userinfo_signed_response_alg", SignatureAlgorithm.init)
        metadata = object["server_metadata"]?.string.map(ServerMetadata.init(stored:))
        revokedToken = object["revoked_token"]?.string
        if let member = object["server_manners"] {
            guard let members = member.object else { throw .corrupted }
            manners = try ServerManners(members)
        }
    }
}

extension ServerManners {
    /// The deviations that are accepted; the others are left out.
    fileprivate var members: JSONObject {
        var object = JSONObject()
        let codes = sessionEndingCodes.map(\.rawValue).sorted()
        object["session_ending_codes"] = codes.isEmpty ? nil : .array(codes.map { .string($0) })
        object["assumes_bearer"] = assumesBearer ? true : nil
        let types = bearerTokenTypes.sorted()
        object["bearer_token_types"] = types.isEmpty ? nil : .array(types.map { .string($0) })
        object["separates_scopes_with_commas"] = separatesScopesWithCommas ? true : nil
        object["omits_issued_token_type"] = omitsIssuedTokenType ? true : nil
        object["takes_logout_uri"] = takesLogoutURI ? true : nil
        return object
    }

    fileprivate init(_ object: JSONObject) throws(StorageFailure) {
        self.init(
            sessionEndingCodes: Set(try object.textList("session_ending_codes").map { .init(rawValue: $0) }),
            assumesBearer: object["assumes_bearer"]?.bool ?? false,
            bearerTokenTypes: Set(try object.textList("bearer_token_types")),
            separatesScopesWithCommas: object["separates_scopes_with_commas"]?.bool ?? false,
            omitsIssuedTokenType: object["omits_issued_token_type"]?.bool ?? false,
            takesLogoutURI: object["takes_logout_uri"]?.bool ?? false
        )
    }
}

extension JSONObject {
    /// A member that is an array of texts; empty when it is missing.
    fileprivate func textList(_ name: String) throws(StorageFailure) -> [String] {
        guard let member = self[name] else { return [] }
        guard let array = member.array else { throw .corrupted }
        let texts = array.compactMap(\.string)
        guard texts.count == array.count else { throw .corrupted }
        return texts
    }
}

extension ProfileRecord.Authentication {
    fileprivate var members: JSONObject {
        switch self {
        case .none: return ["token_endpoint_auth_method": "none"]
        case .clientSecretBasic(let secret):
            return ["token_endpoint_auth_method": "client_secret_basic", "client_secret": .string(secret.reveal())]
        case .clientSecretPost(let secret):
            return ["token_endpoint_auth_method": "client_secret_post", "client_secret": .string(secret.reveal())]
        case .privateKeyJWT(let file):
            var members: JSONObject = ["token_endpoint_auth_method": "private_key_jwt"]
            members.add(file)
            return members
        case .registered(let file):
            var members: JSONObject = ["token_endpoint_auth_method": "registered"]
            if let file { members.add(file) }
            return members
        }
    }

    fileprivate init(_ object: JSONObject) throws(StorageFailure) {
        let secret = object["client_secret"]?.string.map(Secret.init)
        let file = try ClientKeyFile(object)
        switch (object["token_endpoint_auth_method"]?.string, secret, file) {
        case ("none", nil, nil): self = .none
        case ("client_secret_basic", let secret?, nil): self = .clientSecretBasic(secret)
        case ("client_secret_post", let secret?, nil): self = .clientSecretPost(secret)
        case ("private_key_jwt", nil, let file?): self = .privateKeyJWT(file)
        case ("registered", nil, let file): self = .registered(file)
        default: throw .corrupted
        }
    }
}

extension ClientKeyFile {
    fileprivate init?(_ object: JSONObject) throws(StorageFailure) {
        let algorithm = try object.value("token_endpoint_auth_signing_alg", SignatureAlgorithm.init)
        switch (object["client_key_file"]?.string, algorithm) {
        case (nil, nil): return nil
        case (let path?, let algorithm?):
            self.init(path: path, algorithm: algorithm)
            audience =
                try object.value("client_assertion_audience", ClientAuthentication.AssertionAudience.init) ?? .issuer
        default: throw .corrupted
        }
    }
}

extension JSONObject {
    fileprivate mutating func add(_ file: ClientKeyFile) {
        self["client_key_file"] = .string(file.path)
        self["token_endpoint_auth_signing_alg"] = .string(file.algorithm.rawValue)
        self["client_assertion_audience"] = file.audience == .issuer ? nil : .string(file.audience.rawValue)
    }

    /// A member that names one of a set of values; `nil` when it is missing.
    fileprivate func value<Value>(
        _ name: String,
        _ read: (String) -> Value?
    ) throws(StorageFailure) -> Value? {
        guard let member = self[name] else { return nil }
        guard let value = member.string.flatMap(read) else { throw .corrupted }
        return value
    }
}
