extension SignInError: CustomStringConvertible {
    /// A sentence for a developer; it holds no secret.
    public var description: String { "\(stage.rawValue): \(message)" }

    /// The sentence without the stage.
    public var message: String {
        switch reason {
        case .cancelled: "It was cancelled."
        case .timedOut where stage == .authorization || stage == .endSession:
            "No redirect came back in time. The page may have shown an error of the server: look at it, and at the "
                + "client's registration there."
        case .timedOut: "No response came in time."
        case .refused(let error):
            "The server refused with \(error.code.rawValue)" + (error.description.map { ": \($0)" } ?? ".")
        case .server(let status):
            "The server answered with status \(status)" + (serverMessage.map { ": \($0)" } ?? " and no explanation.")
        case .mismatch(let check): evidence?.sentence(of: check) ?? check.sentence
        case .malformed(let part): "The answer is not what its specification says: \(part)."
        case .transport(let failure): failure.sentence
        case .unsupported(let feature): "The server does not offer \(feature)."
        case .configuration(let sentence): sentence
        case .signInRequired: "There is no session that can be used: sign in."
        case .keyLost: "The key that the session is bound to is not on this device any more: sign in."
        case .storage(let failure): failure.sentence
        case .stepUpRequired:
            "The resource server wants the person to sign in in another way, or again, or to allow more."
        case .presentation(let failure): failure.sentence
        case .alreadyInProgress: "Another sign-in is under way: wait for it, or cancel it."
        }
    }
}

extension SignInError.Check {
    fileprivate var sentence: String {
        switch self {
        case .metadataIssuer: "The metadata names another issuer than the one asked for."
        case .redirectURI: "The redirect URI is another one than the app's (redirect_uri)."
        case .repeatedParameter: "The redirect repeats a parameter that may occur once."
        case .unexpectedParameter: "The redirect carries a parameter of another kind of response."
        case .state: "The redirect does not answer this sign-in (state)."
        case .issuer: "The answer comes from another issuer (iss)."
        case .scope: "The server did not grant the requested scope (scope)."
        case .idToken: "There is no ID token though openid was asked for."
        case .tokenType: "The token is of another type than the one asked for (token_type)."
        case .issuedTokenType: "The token that came in exchange is of another kind (issued_token_type)."
        case .client: "The answer is about another client (client_id)."
        case .origin: "The response leads to another server, or to this machine."
        case .resource: "The metadata names another resource than the one asked for."
        case .algorithm: "The signature's algorithm is not allowed (alg)."
        case .type: "The token is of another kind (typ)."
        case .critical: "The token has an extension that is not understood (crit)."
        case .key: "None of the issuer's keys fits the token (kid)."
        case .signature: "The signature is wrong."
        case .audience: "The token is meant for somebody else (aud)."
        case .authorizedParty: "The token was made for another client (azp)."
        case .subject: "It is about another person, or about nobody (sub)."
        case .expiry: "The token has expired, or names no expiry (exp)."
        case .notBefore: "The token is not valid yet (nbf)."
        case .issuedAt: "The token comes from the future, is too old, or names no time (iat)."
        case .nonce: "The ID token answers another sign-in (nonce)."
        case .authenticationTime: "The person authenticated too long ago, or the token does not say when (auth_time)."
        case .authenticationContext: "The person did not authenticate in the way asked for (acr)."
        case .accessTokenHash: "The access token does not belong to the ID token (at_hash)."
        case .signedUserInfo: "The user info is not signed though a signature was agreed."
        }
    }
}

extension SignInError.PresentationFailure {
    fileprivate var sentence: String {
        switch self {
        case .windowMissing: "There is no window in front to show the page at: ask when the app is active."
        case .windowRejected: "The system does not show the page at this window: give one that is in front."
        case .startRefused: "The system did not start the page; another one may still be open."
        case .interrupted(let cause): "The page went away, and nobody closed it (\(cause))."
        case .associatedDomainMissing(let host):
            "The app is not associated with the redirect's host: add webcredentials:\(host) to its associated domains, and "
                + "the app to the host's apple-app-site-association."
        case .browserBlocked:
            "The device shows no browser now (Guided Access, or single app mode): sign in on another device."
        case .openedTwice:
            "The address that leads the browser to the sign-in page was visited twice, so another program may have read it: "
                + "start the sign-in again."
        }
    }
}

extension TransportFailure {
    fileprivate var sentence: String {
        switch self {
        case .unreachable: "The server cannot be reached."
        case .unknownHost: "The server's name has no address."
        case .tls: "No secure connection could be made (TLS)."
        case .interrupted: "The connection broke before the answer was whole."
        case .timedOut: "The server did not answer in time."
        case .tooLarge: "The answer is larger than its limit."
        case .redirectRefused: "The server redirected the request, which is not followed."
        case .insecureURL: "The URL is not https, and not on this machine either; nothing was sent."
        case .invalidRequest: "The request is one that cannot be sent; nothing was sent."
        case .notHTTP: "The answer is not HTTP."
        case .cancelled: "It was cancelled."
        }
    }
}

extension StorageFailure {
    fileprivate var sentence: String {
        switch self {
        case .locked: "The store is locked for now; what is in it is safe."
        case .unavailable: "The store cannot be used: check its folder and permissions."
        case .corrupted: "What is stored cannot be read, or was changed by somebody else; it was left as it is."
        case .notEntitled:
            "The app is not signed for this keychain: add the group to its keychain or app group entitlement."
        case .cancelled: "The person did not unlock what is stored; it is safe."
        case .notRecognized: "The person who unlocks what is stored was not recognized; it is safe."
        case .invalidated: "What is stored can never be read again: the enrolled faces or fingers have changed."
        }
    }
}
