extension SignInError: CustomStringConvertible {
    /// A sentence for a developer; it holds no secret.
    public var description: String { "\(stage.rawValue): \(message)" }

    /// The sentence without the stage.
    public var message: String {
        switch reason {
        case .cancelled: "The operation was cancelled."
        case .timedOut where stage == .authorization || stage == .endSession:
            "The redirect did not arrive in time. If the page shows an error, compare the client identifier and the "
                + "redirect URI with the client's registration at the server."
        case .timedOut: detail ?? "The server did not respond in time."
        case .refused(let error):
            "The server refused with \(error.code.rawValue)" + (error.description.map { ": \($0)" } ?? ".")
        case .server(let status):
            "The server responded with status \(status)" + (serverMessage.map { ": \($0)" } ?? " and no explanation.")
        case .mismatch(let check): evidence?.sentence(of: check) ?? check.sentence
        case .malformed(let part): "The response does not match its specification: \(part)."
        case .transport(let failure): failure.sentence
        case .unsupported(let feature): "The server does not offer \(feature)."
        case .configuration(let sentence): sentence
        case .signInRequired: detail ?? "No stored session can be used: sign in."
        case .keyLost: "The key that the session is bound to is no longer on this device: sign in."
        case .storage(let failure): failure.sentence
        case .stepUpRequired:
            "The resource server requires a newer or stronger sign-in, or more scopes: sign in with its challenge."
        case .presentation(let failure): failure.sentence
        case .alreadyInProgress: "Another sign-in is in progress: wait for it, or cancel it."
        }
    }
}

extension SignInError.Check {
    fileprivate var sentence: String {
        switch self {
        case .metadataIssuer: "The metadata names another issuer than the requested one (issuer)."
        case .redirectURI: "The redirect URI is not the app's (redirect_uri)."
        case .repeatedParameter: "The redirect repeats a parameter that may occur once."
        case .unexpectedParameter: "The redirect has a parameter of another response type."
        case .state: "The redirect belongs to another sign-in (state)."
        case .issuer: "The response is from another issuer (iss)."
        case .scope: "The server did not grant the requested scope (scope)."
        case .idToken: "The response has no ID token, although openid was requested (id_token)."
        case .tokenType: "The token is not of the requested type (token_type)."
        case .issuedTokenType: "The issued token is not of the requested type (issued_token_type)."
        case .client: "The response is for another client (client_id)."
        case .origin: "The response names a URL of another server, or of this machine."
        case .resource: "The metadata names another resource than the requested one (resource)."
        case .algorithm: "The signature's algorithm is not allowed (alg)."
        case .type: "The token is of another type (typ)."
        case .critical: "The token has an extension that is not supported (crit)."
        case .key: "None of the issuer's keys fits the token (kid)."
        case .signature: "The signature is invalid."
        case .audience: "The token is for another audience (aud)."
        case .authorizedParty: "The token was issued to another client (azp)."
        case .subject: "The response is about another user, or names no user (sub)."
        case .expiry: "The token has expired, or has no expiry (exp)."
        case .notBefore: "The token is not valid yet (nbf)."
        case .issuedAt: "The token's time of issue is missing, in the future, or too long ago (iat)."
        case .nonce: "The ID token belongs to another sign-in (nonce)."
        case .authenticationTime: "The user authenticated too long ago, or the token does not say when (auth_time)."
        case .authenticationContext: "The user did not authenticate in the required way (acr)."
        case .accessTokenHash: "The access token does not belong to the ID token (at_hash)."
        case .signedUserInfo: "The user info is not signed, although the client is registered for signed user info."
        }
    }
}

extension SignInError.PresentationFailure {
    fileprivate var sentence: String {
        switch self {
        case .windowMissing: "No window is in front to present the page at: sign in when the app is active."
        case .windowRejected: "The system does not present the page at this window: name one that is in front."
        case .startRefused: "The system did not open the page; another one may still be open: close it and try again."
        case .interrupted(let cause):
            "The page closed, and neither the user nor the app closed it (\(cause)): try again."
        case .associatedDomainMissing(let host):
            "The app is not associated with the redirect's host: add webcredentials:\(host) to its associated domains, and "
                + "the app to the host's apple-app-site-association."
        case .browserBlocked:
            "The device blocks the browser (Guided Access or single app mode): sign in on another device."
        case .openedTwice:
            "The local address of the sign-in page was visited twice, so another program may have read it: "
                + "start the sign-in again."
        }
    }
}

extension TransportFailure {
    fileprivate var sentence: String {
        switch self {
        case .unreachable: "The server cannot be reached."
        case .unknownHost: "The server's host name has no address."
        case .tls: "The secure connection to the server failed (TLS)."
        case .interrupted: "The connection broke before the response was complete."
        case .timedOut: "The server did not respond in time."
        case .tooLarge: "The response is larger than its limit."
        case .redirectRefused: "The server redirected the request, which is not followed."
        case .insecureURL: "The URL is neither https nor on this machine; nothing was sent."
        case .invalidRequest: "The request is invalid; nothing was sent."
        case .notHTTP: "The response is not HTTP."
        case .cancelled: "The operation was cancelled."
        }
    }
}

extension StorageFailure {
    fileprivate var sentence: String {
        switch self {
        case .locked: "The store is locked; the session in it is safe. Try again when it is unlocked."
        case .unavailable: "The store cannot be used: check its folder and permissions."
        case .corrupted:
            "The stored session is unreadable or was modified. It has been left in place; a new sign-in replaces it."
        case .notEntitled:
            "The app is not signed for this keychain: add the group to its keychain or app group entitlement."
        case .cancelled: "The user did not unlock the stored session; it is safe."
        case .notRecognized: "The face, finger or passcode was not recognized; the stored session is safe."
        case .invalidated:
            "The enrolled faces or fingers have changed, so the stored session can never be read again: sign in."
        }
    }
}
