package import OstiaryJOSE
package import OstiaryOAuth

/// What a session needs besides its tokens, so that no later command has to be told again.
package struct ProfileRecord: Sendable, Hashable {
    package var issuer: Issuer
    package var clientID: String
    package var redirectURI: RedirectURI
    package var authentication: Authentication
    package var scopes: [Scope]
    package var idTokenAlgorithm: SignatureAlgorithm?
    package var userInfoAlgorithm: SignatureAlgorithm?

    /// How the client proves who it is.
    package enum Authentication: Sendable, Hashable {
        case none
        case clientSecretBasic(Secret)
        case clientSecretPost(Secret)
    }

    package init(
        issuer: Issuer,
        clientID: String,
        redirectURI: RedirectURI,
        authentication: Authentication = .none,
        scopes: [Scope],
        idTokenAlgorithm: SignatureAlgorithm? = nil,
        userInfoAlgorithm: SignatureAlgorithm? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.authentication = authentication
        self.scopes = scopes
        self.idTokenAlgorithm = idTokenAlgorithm
        self.userInfoAlgorithm = userInfoAlgorithm
    }

    /// The client that it describes.
    ///
    /// - Throws: `configuration` when there is none, such as one with an empty identifier.
    var client: Client {
        get throws(SignInError) {
            var validation = ValidationPolicy(userInfoAlgorithm: userInfoAlgorithm)
            if let idTokenAlgorithm { validation.idTokenAlgorithms = [idTokenAlgorithm] }
            return try Client(
                id: clientID,
                redirectURI: redirectURI,
                authentication: authentication.method,
                validation: validation
            )
        }
    }
}

extension ProfileRecord.Authentication {
    fileprivate var method: ClientAuthentication {
        switch self {
        case .none: .none
        case .clientSecretBasic(let secret): .clientSecretBasic(secret)
        case .clientSecretPost(let secret): .clientSecretPost(secret)
        }
    }

    fileprivate var secret: Secret? {
        switch self {
        case .none: nil
        case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret
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
            "token_endpoint_auth_method": .string(authentication.method.method),
            "scope": .string(scopes.text),
        ]
        object["client_secret"] = authentication.secret.map { .string($0.reveal()) }
        object["id_token_signed_response_alg"] = idTokenAlgorithm.map { .string($0.rawValue) }
        object["userinfo_signed_response_alg"] = userInfoAlgorithm.map { .string($0.rawValue) }
        return object.encoded()
    }

    /// Reads what ``bytes`` wrote.
    ///
    /// - Throws: `corrupted`.
    package init(_ bytes: [UInt8]) throws(StorageFailure) {
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let issuer = object["issuer"]?.string.flatMap({ try? Issuer($0) }),
            let clientID = object["client_id"]?.string,
            let redirectURI = object["redirect_uri"]?.string.flatMap({ try? RedirectURI($0) }),
            let scope = object["scope"]?.string
        else { throw .corrupted }
        let authentication: Authentication
        switch (object["token_endpoint_auth_method"]?.string, object["client_secret"]?.string.map(Secret.init)) {
        case ("none", nil): authentication = .none
        case ("client_secret_basic", let secret?): authentication = .clientSecretBasic(secret)
        case ("client_secret_post", let secret?): authentication = .clientSecretPost(secret)
        default: throw .corrupted
        }
        func algorithm(_ name: String) throws(StorageFailure) -> SignatureAlgorithm? {
            guard let value = object[name] else { return nil }
            guard let algorithm = value.string.flatMap(SignatureAlgorithm.init) else { throw .corrupted }
            return algorithm
        }
        self.init(
            issuer: issuer,
            clientID: clientID,
            redirectURI: redirectURI,
            authentication: authentication,
            scopes: Scope.list(scope),
            idTokenAlgorithm: try algorithm("id_token_signed_response_alg"),
            userInfoAlgorithm: try algorithm("userinfo_signed_response_alg")
        )
    }
}
