import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

extension OIDAuthState.Content {
    /// The seconds that an access token has to be valid for; AppAuth's number.
    private static let margin: Double = 60

    var accessToken: String? {
        guard authorizationError == nil else { return nil }
        return tokenResponse.map(\.accessToken) ?? authorizationResponse?.accessToken
    }

    var currentIDToken: String? { authorizationError == nil ? idToken?.reveal() : nil }

    var isAuthorized: Bool {
        authorizationError == nil && (accessToken != nil || idToken != nil || refreshToken != nil)
    }

    /// Whether the access token can be handed out as it is.
    func isFresh(at now: Date) -> Bool {
        guard !needsTokenRefresh, authorizationError == nil else { return false }
        let expiry =
            tokenResponse.map(\.accessTokenExpirationDate) ?? authorizationResponse?.accessTokenExpirationDate
        guard let expiry else { return accessToken != nil }
        return expiry.timeIntervalSince(now) > Self.margin
    }

    /// A registration begins anew: what belonged to another client is dropped.
    mutating func take(_ response: OIDRegistrationResponse?) {
        registrationResponse = response
        (authorizationResponse, tokenResponse, authorizationError) = (nil, nil, nil)
        forgetGrant()
        scope = nil
    }

    /// A sign-in begins anew: what belonged to another one is dropped.
    mutating func take(_ response: OIDAuthorizationResponse) {
        authorizationResponse = response
        (tokenResponse, authorizationError) = (nil, nil)
        forgetGrant()
        idToken = response.idToken.map { Secret($0) }
        scope = response.scope ?? response.request.scope
    }

    private mutating func forgetGrant() { (refreshToken, idToken, signIn, line) = (nil, nil, nil, nil) }

    /// Takes tokens that the app got.
    mutating func take(_ response: OIDTokenResponse) {
        take(refreshed: response)
        guard let token = response.refreshToken else { return }
        (signIn, line) = (Self.name(of: token), nil)
    }

    /// Takes tokens of a refresh that this state made.
    mutating func take(refreshed response: OIDTokenResponse) {
        tokenResponse = response
        authorizationError = nil
        scope = response.scope ?? scope
        refreshToken = response.refreshToken.map { Secret($0) } ?? refreshToken
        idToken = response.idToken.map { Secret($0) } ?? idToken
    }

    /// The name of a sign-in: of the hash of its first refresh token, from which the token cannot be found.
    static func name(of refreshToken: String) -> String {
        "appauth-" + Base64URL.encode(HashAlgorithm.sha256.hash(Array(refreshToken.utf8)))
    }

    /// A request with the newest refresh token; `nil` without one.
    func refreshRequest(_ additional: [String: String]?, _ headers: [String: String]?) -> OIDTokenRequest? {
        guard let refreshToken, !refreshToken.isEmpty else { return nil }
        let redemption = tokenResponse?.request
        guard let configuration = authorizationResponse?.request.configuration ?? redemption?.configuration,
            let clientID = authorizationResponse?.request.clientID ?? redemption?.clientID
        else { return nil }
        var secret = authorizationResponse?.request.clientSecret ?? redemption?.clientSecret
        var additional = additional
        if secret == nil, let posted = redemption?.additionalParameters?["client_secret"] {
            additional = (additional ?? [:]).merging(["client_secret": posted]) { given, _ in given }
        } else if secret == nil, registrationResponse?.clientID == clientID {
            secret = registrationResponse?.clientSecret
        }
        return OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeRefreshToken,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: clientID,
            clientSecret: secret,
            scope: nil,
            refreshToken: refreshToken.reveal(),
            codeVerifier: nil,
            additionalParameters: additional,
            additionalHeaders: headers
        )
    }
}

// MARK: - Archives

extension OIDAuthState.Content {
    init(_ coder: NSCoder) {
        self.init()
        authorizationResponse = coder.object("lastAuthorizationResponse")
        tokenResponse = coder.object("lastTokenResponse")
        registrationResponse = coder.object("lastRegistrationResponse")
        if let domain = coder.text("ostiary.errorDomain") {
            authorizationError = NSError(domain: domain, code: coder.decodeInteger(forKey: "ostiary.errorCode"))
        } else {
            authorizationError = coder.object("authorizationError")
        }
        scope = coder.text("scope")
        refreshToken = (coder.text("refreshToken") ?? tokenResponse?.refreshToken).map { Secret($0) }
        needsTokenRefresh = coder.decodeBool(forKey: "needsTokenRefresh")
        let known = coder.text("ostiary.idToken") ?? tokenResponse?.idToken ?? authorizationResponse?.idToken
        idToken = known.map { Secret($0) }
        // All who read one archive of AppAuth's find the same name.
        signIn = coder.text("ostiary.signIn") ?? refreshToken.map { Self.name(of: $0.reveal()) }
    }

    func encode(with coder: NSCoder) {
        coder.encode(authorizationResponse, forKey: "lastAuthorizationResponse")
        coder.encode(tokenResponse, forKey: "lastTokenResponse")
        coder.encode(registrationResponse, forKey: "lastRegistrationResponse")
        coder.set(authorizationError?.domain, "ostiary.errorDomain")
        coder.encode(authorizationError?.code ?? 0, forKey: "ostiary.errorCode")
        #if canImport(Darwin)
            // The user info of an error may hold what cannot be archived. Foundation on Linux archives no error.
            coder.encode(
                authorizationError.map { NSError(domain: $0.domain, code: $0.code) },
                forKey: "authorizationError"
            )
        #endif
        coder.set(scope, "scope")
        coder.set(refreshToken?.reveal(), "refreshToken")
        coder.encode(needsTokenRefresh, forKey: "needsTokenRefresh")
        coder.set(idToken?.reveal(), "ostiary.idToken")
        coder.set(signIn, "ostiary.signIn")
    }
}
