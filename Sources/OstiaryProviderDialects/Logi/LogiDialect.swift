import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// The dialect of logi (1pass): its paths, its errors with a request id, its account claims and its device endpoints.
///
/// (docs.1pass.dev; the public clients of dcode-co.) Undocumented behavior is a choice of ``Options``.
public final class LogiDialect: Dialect {
    /// The behavior that the documents contradict or omit.
    public struct Options: Sendable {
        /// The claim for merged accounts.
        public enum LinkedSubjects: Sendable, Hashable {
            /// A list of identifiers.
            case strings
            /// A list of objects that describe the merges.
            case objects
        }

        /// The member for the record in a device response.
        public enum DeviceRecord: Sendable, Hashable {
            /// `device_id`, a number.
            case topLevelNumber
            /// `device_id`, a text.
            case topLevelText
            /// `device.id`.
            case device
            /// `user.device_id`.
            case user
        }

        /// The claim for merged accounts.
        public var linkedSubjects: LinkedSubjects
        /// The member for the record in a device response.
        public var deviceRecord: DeviceRecord
        /// Whether redirects carry `iss` (RFC 9207); the vendor's were not seen to.
        public var namesIssuerInResponses: Bool
        /// Whether there is a metadata document.
        public var publishesMetadata: Bool
        /// The code that proves that a user is present at a merge of two accounts.
        public var oneTimeCode: String
        /// Identity tokens of other systems that already belong to a user, with that user's subject.
        public var takenIdentities: [String: String]
        /// Identity tokens whose address is linked to another account of that system.
        public var takenEmails: Set<String>
        /// The number of device keys that a user may request in an hour.
        public var exchangesPerHour: Int

        /// Makes options; the defaults are the documented values.
        public init(
            linkedSubjects: LinkedSubjects = .objects,
            deviceRecord: DeviceRecord = .topLevelNumber,
            namesIssuerInResponses: Bool = false,
            publishesMetadata: Bool = true,
            oneTimeCode: String = "424242",
            takenIdentities: [String: String] = [:],
            takenEmails: Set<String> = [],
            exchangesPerHour: Int = 10
        ) {
            self.linkedSubjects = linkedSubjects
            self.deviceRecord = deviceRecord
            self.namesIssuerInResponses = namesIssuerInResponses
            self.publishesMetadata = publishesMetadata
            self.oneTimeCode = oneTimeCode
            self.takenIdentities = takenIdentities
            self.takenEmails = takenEmails
            self.exchangesPerHour = exchangesPerHour
        }
    }

    /// `logi`.
    public var name: String { "logi" }
    let options: Options
    let state = Lock(LogiState())

    /// Makes the dialect; devices, keys and merges live as long as it does.
    public init(_ options: Options = Options()) { self.options = options }

    /// The vendor's paths; it has no end-session, introspection, registration or pushed endpoint that is documented.
    public func path(of route: Route) -> String? {
        switch route {
        case .openIDConfiguration: options.publishesMetadata ? nil : ""
        case .keySet: "/.well-known/jwks.json"
        case .authorization: "/oauth/authorize"
        case .token: "/oauth/token"
        case .userInfo: "/oauth/userinfo"
        case .revocation: "/oauth/revoke"
        case .deviceAuthorization: "/oauth/device_authorization"
        case .login: "/oauth/login"
        case .accounts: "/oauth/accounts"
        case .oneTimePassword: "/oauth/one-time-password"
        case .consent: "/oauth/consent"
        case .authorizationServer, .webFinger, .introspection, .registration, .registeredClient, .pushedAuthorization,
            .attestationChallenge, .endSession,
            .signOut, .account:
            ""
        case .device, .deviceLogin, .deviceAccounts, .deviceOneTimePassword, .deviceConsent: nil
        }
    }

    /// Responds at `/api/v1`, and at the second path that the documents name for user info.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
        if request.path == "/api/v1/oauth/userinfo" {
            var request = request
            request.path = "/oauth/userinfo"
            return try await provider.usualAnswer(to: request)
        }
        guard request.path.utf8.starts(with: "/api/v1/".utf8) else { return nil }
        do throws(LogiRefusal) {
            return try await serve(request, at: provider)
        } catch {
            return error.response
        }
    }

    /// A client gets a refresh token without asking for `offline_access`, and `profile` is another name of
    /// `profile:basic`.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {
        guard let text = parameters[.scope] else { return }
        var scopes = Scope.list(text).map { $0 == .profile ? .profileBasic : $0 }
        if scopes.contains(.openID), !scopes.contains(.offlineAccess) { scopes.append(.offlineAccess) }
        parameters[.scope] = scopes.text
    }

    /// A scope beyond those that the client was registered with is refused, not left out.
    public func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError? {
        let asked = Scope.list(parameters[.scope] ?? "")
        guard let drift = asked.first(where: { !client.allowedScopes.contains($0) }), drift.isWellFormed else {
            return nil
        }
        return OAuthError(code: .invalidScope, description: "The client may not ask for \(drift.rawValue).")
    }

    /// The vendor's redirects name no issuer.
    public func writeAuthorizationResponse(_ parameters: inout Parameters) {
        if !options.namesIssuerInResponses { parameters[.issuer] = nil }
    }

    /// Changes the metadata to that of the vendor's document.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {
        metadata["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "client_secret_post", "none"]
        metadata["subject_types_supported"] = ["pairwise"]
        metadata["grant_types_supported"] = [
            "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
        ]
        metadata["authorization_response_iss_parameter_supported"] =
            options.namesIssuerInResponses ? true : nil
        for member in ["dpop_signing_alg_values_supported", "require_pushed_authorization_requests"] {
            metadata[member] = nil
        }
    }

    /// Adds the address and the merged accounts.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
        if scopes.contains(.email) {
            claims["email"] = person.claims["email"]
            claims["email_verified"] = person.claims["email_verified"]
        }
        writeAccount(of: person, into: &claims)
    }

    /// An access token is for the client itself.
    public func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope]) {
        claims["aud"] = claims["client_id"]
        claims["client_id"] = nil
    }

    /// Adds the user's verification level and the merged accounts.
    public func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
        claims["identity_verified_level"] = person.claims["identity_verified_level"]
        writeAccount(of: person, into: &claims)
    }

    /// Adds a request id to every response, and the page that explains it to every error.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {
        let id = "req_" + provider.random.identifier()
        response.fields[.logiRequestID] = id
        if request.path == "/.well-known/jwks.json", response.status == .ok {
            response.fields[.cacheControl] = "public, max-age=3600"
        }
        guard response.status.code >= 400, case .bytes(let bytes) = response.content,
            var object = try? JSONObject(parsing: bytes), let code = object["error"]?.string
        else { return }
        object["error_uri"] = .string("https://docs.1pass.dev/oauth/errors#" + FormURLEncoding.escape(code))
        object["request_id"] = .string(id)
        response.content = .bytes(object.encoded())
        response.fields[.logiConsoleURL] = "https://start.1pass.dev/requests/" + id
        if code == OAuthError.Code.invalidScope.rawValue { response.fields[.logiScopeDrift] = "blocked" }
    }

    private func writeAccount(of person: ProviderUser, into claims: inout JSONObject) {
        for name in ["anonymous", "previously_anonymous"] { claims[name] = person.claims[name] }
        let merges = state.withLock { $0.merges }
        if let into = merges.first(where: { $0.linked == person.subject }) {
            claims["canonical_sub"] = .string(into.primary)
            claims["is_canonical"] = false
            return
        }
        claims["canonical_sub"] = .string(person.subject)
        claims["is_canonical"] = true
        let linked = merges.filter { $0.primary == person.subject }
        guard !linked.isEmpty else { return }
        claims["linked_subs"] = .array(
            linked.map { merge in
                switch options.linkedSubjects {
                case .strings: .string(merge.linked)
                case .objects: .object(merge.claim)
                }
            }
        )
    }
}

extension Scope {
    /// The name and picture.
    static let profileBasic: Scope = "profile:basic"
    /// May change the account.
    static let profileWrite: Scope = "profile:write"
}

extension HTTPField.Name {
    static let logiRequestID = Self("X-Logi-Request-Id") ?? .eTag
    static let logiConsoleURL = Self("X-Logi-Console-Url") ?? .eTag
    static let logiScopeDrift = Self("X-Logi-Scope-Drift") ?? .eTag
}
