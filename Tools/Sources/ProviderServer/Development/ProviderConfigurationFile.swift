import Foundation
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// A provider's settings in a JSON file: its clients and users, its port and its database.
///
/// Clients have the members of RFC 7591 section 2: `client_id`, `client_name`, `client_secret`,
/// `token_endpoint_auth_method`, `redirect_uris`, `post_logout_redirect_uris`, `scope`, `grant_types`,
/// `id_token_signed_response_alg`, `userinfo_signed_response_alg`; and `require_consent` and `may_introspect`. Users
/// have `name`, `password` or `password_hash`, `sub`, `claims` and `one_time_password`, an object with the `secret` of
/// an authenticator app in base32 and its `algorithm`, `digits` and `period`. `second_factor` is `always` or
/// `on_request`, `accounts` is `one` or `several`, `languages` a list of `en`, `de`,
/// `fr`, `es` and `ja`.
///
/// Besides `clients` and `users` there may be `issuer`, `port`, `store`, `name`, `scopes`, a list of `scope`,
/// `sentence` and `claims`, and `registration`, the policy for registering clients. Its `access` is `closed`, `open`,
/// `initial_access_token` or `software_statement`. Beside it there may be `initial_access_tokens`,
/// `software_statement_issuers` (a key set for each issuer), `client_secret_lifetime` in seconds and `rotate`, a list
/// of `access_token_on_read`, `access_token_on_update`, `secret_on_read` and `secret_on_update`.
///
/// `client_assertion_lifetime` is the longest validity of a client assertion, in seconds, 1 to 86,400 (default 300).
/// `basic_credentials` is `form_encoded` (RFC 6749 section 2.3.1, the default) or `form_encoded_or_raw`.
///
/// `rules` is `oidc`, `strict`, `fapi2` or `mcp`, for the provider or for one client. `lifetimes` has seconds for
/// `authorization_code`, `access_token`, `refresh_token`, `refresh_token_reuse`, `id_token`, `login_session`,
/// `interaction`, `pushed_request` and `device_code`. `signing_algorithms` is a list, the default first, `signing_keys` a
/// list of private JSON Web Keys with `alg`. `clock_offset` moves the provider's clock by seconds. With `throttle` false,
/// wrong passwords close no name. With `passkeys` true, users may sign in with passkeys. Clients have `claims_in_id_token` and `access_token_type`, resources the latter.
public struct ProviderConfigurationFile: Sendable {
    /// The issuer identifier; `nil` for the address that the provider listens on.
    public let issuer: Issuer?
    /// The port to listen on; `nil` when it does not say.
    public let port: Int?
    /// The SQLite file to keep records in; `nil` to keep them in memory.
    ///
    /// A relative path starts at the configuration file's folder.
    public let storePath: String?
    /// The name on the pages; `nil` when the file has none.
    public let name: String?
    /// The registered clients.
    public let clients: [RegisteredClient]
    /// The users who can sign in.
    public let users: [ProviderUser]
    /// Scopes besides the standard ones.
    public let scopes: [ProviderScope]
    /// The policy for registering clients; without one, none may register.
    public let registration: RegistrationPolicy
    /// The resource servers that clients may request tokens for.
    public let resources: [ProviderResource]
    /// Whether proofs of possession must carry a nonce.
    public let requiresNonces: Bool
    /// Whether authorization requests must be pushed.
    public let requiresPushedRequests: Bool
    /// The longest that a client's assertion may be valid, in seconds.
    public let clientAssertionLifetime: Duration
    /// The encoding of the halves of a client's Basic credential.
    public let basicCredentials: ProviderConfiguration.BasicCredentials

    /// The rules; `nil` when the file does not say.
    public let rules: ProviderRules?
    /// The signature algorithms of tokens, the default first; `nil` when the file does not say.
    public let signingAlgorithms: [SignatureAlgorithm]?
    /// The keys to sign with instead of generated ones.
    public let signingKeys: [SigningKey]
    /// The lifetimes of tokens, sessions and requests.
    public let lifetimes: ProviderConfiguration.Lifetimes
    /// The difference of the provider's clock from that of the machine, in seconds.
    public let clockOffset: Double
    /// The treatment of many wrong passwords for one name.
    public let wrongPasswords: ProviderConfiguration.WrongPasswords
    /// The occasion on which a user enters a one-time password.
    public let secondFactor: ProviderConfiguration.SecondFactor
    /// The number of users who can be signed in at a time in one browser.
    public let accounts: ProviderConfiguration.AccountPolicy
    /// The languages of the pages, the one for other users first.
    public let languages: [PageLanguage]
    /// Whether users can sign in with passkeys.
    public let passkeys: ProviderConfiguration.PasskeyUse
    private let namesAssertionLifetime: Bool

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file; at most 256 KiB.
    ///   - cost: The cost of hashing plain passwords.
    ///   - random: The source of salts.
    /// - Throws: ``ProviderConfigurationError`` that names the invalid member.
    public init(
        contentsOf path: String,
        cost: PasswordHash.Cost = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) {
        let bytes: [UInt8]
        do throws(ReadableFile.Failure) { bytes = try ReadableFile.bytes(of: path) } catch {
            throw ProviderConfigurationError("", "The file \(path) cannot be read: \(error.cause).")
        }
        let folder = URL(filePath: path).deletingLastPathComponent()
        do throws(ProviderConfigurationError) {
            try self.init(parsing: bytes, folder: folder, cost: cost, using: &random)
        } catch {
            throw error.inFile(path)
        }
    }

    init(
        parsing bytes: [UInt8],
        folder: URL,
        cost: PasswordHash.Cost,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) {
        let root = try Self.parse(bytes).object(of: [
            "issuer", "port", "store", "name", "clients", "users", "scopes", "registration", "resources",
            "dpop_nonces", "require_pushed_authorization_requests", "client_assertion_lifetime", "basic_credentials",
            "rules", "lifetimes", "signing_algorithms", "signing_keys", "clock_offset", "throttle", "second_factor",
            "accounts", "languages", "passkeys",
        ])
        issuer = try root["issuer"]?.issuer()
        port = try root["port"]?.integer(in: 0...65_535)
        storePath = try root["store"]?.string().path(in: folder)
        name = try root["name"]?.string()
        clients = try root.required("clients").clients()
        users = try root.required("users").users(cost: cost, using: &random)
        registration = try root["registration"]?.registration() ?? .closed
        let resources = try root["resources"]?.resources() ?? []
        self.resources = resources
        let scopes = try root["scopes"]?.scopes() ?? []
        self.scopes = scopes + Self.scopes(of: resources, besides: scopes)
        rules = try root["rules"]?.rules()
        signingAlgorithms = try root["signing_algorithms"]?.algorithms()
        signingKeys = try root["signing_keys"]?.signingKeys() ?? []
        clockOffset = Double(try root["clock_offset"]?.integer(in: -Self.tenYears...Self.tenYears) ?? 0)
        wrongPasswords = try root["throttle"]?.bool() ?? true ? .throttled : .unlimited
        secondFactor = try root["second_factor"]?.secondFactor() ?? .always
        accounts = try root["accounts"]?.accounts() ?? .one
        languages = try root["languages"]?.languages() ?? [.english]
        passkeys = try root["passkeys"]?.bool() ?? false ? .accepted : .none
        namesAssertionLifetime = root["client_assertion_lifetime"] != nil
        var lifetimes = try root["lifetimes"]?.lifetimes() ?? ProviderConfiguration.Lifetimes()
        requiresNonces = try root["dpop_nonces"]?.bool() ?? false
        requiresPushedRequests = try root["require_pushed_authorization_requests"]?.bool() ?? false
        clientAssertionLifetime = .seconds(try root["client_assertion_lifetime"]?.integer(in: 1...86_400) ?? 300)
        lifetimes.clientAssertion = clientAssertionLifetime
        self.lifetimes = lifetimes
        basicCredentials = try root["basic_credentials"]?.basicCredentials() ?? .formEncoded
    }

    /// The configuration for an issuer.
    public func configuration(for issuer: Issuer) -> ProviderConfiguration {
        var configuration = ProviderConfiguration(
            issuer: issuer,
            name: name ?? "Ostiary",
            clients: clients,
            users: users,
            additionalScopes: scopes,
            signingKeys: signingKeys,
            lifetimes: lifetimes,
            dpop: DPoPPolicy(requiresNonce: requiresNonces),
            resources: resources,
            requiresPushedAuthorizationRequests: requiresPushedRequests,
            registration: registration,
            basicCredentials: basicCredentials,
            rules: configurationRules(.strict)
        )
        if let signingAlgorithms { configuration.signingAlgorithms = signingAlgorithms }
        configuration.wrongPasswords = wrongPasswords
        configuration.secondFactor = secondFactor
        configuration.accounts = accounts
        configuration.languages = languages
        configuration.passkeys = passkeys
        return configuration
    }

    /// The rules of the file, or these; a lifetime of client assertions that the file names goes before theirs.
    public func configurationRules(_ usual: ProviderRules) -> ProviderRules {
        var rules = rules ?? usual
        if namesAssertionLifetime { rules.assertionLifetime = .configured }
        return rules
    }

    /// In seconds.
    private static let tenYears = 315_360_000

    /// The scopes that a resource names and the file does not describe.
    private static func scopes(of resources: [ProviderResource], besides known: [ProviderScope]) -> [ProviderScope] {
        let standard = ["openid", "profile", "email", "address", "phone", "offline_access"]
        var found: [ProviderScope] = []
        for resource in resources {
            for scope in resource.scopes ?? [] where !standard.contains(scope.rawValue) {
                guard !(known + found).contains(where: { $0.scope == scope }) else { continue }
                found.append(ProviderScope(scope, sentence: "Use \(scope.rawValue) at \(resource.name)"))
            }
        }
        return found
    }

    private static func parse(_ bytes: [UInt8]) throws(ProviderConfigurationError) -> ConfigurationMember {
        do throws(JSONError) {
            return ConfigurationMember(path: "", value: .object(try JSONObject(parsing: bytes)))
        } catch {
            switch error {
            case .malformed(let offset):
                let line = bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
                throw ProviderConfigurationError("", "This is not JSON: look at line \(line).")
            case .duplicateMember(let name):
                throw ProviderConfigurationError("", "The member \"\(name)\" stands twice in one object.")
            case .notAnObject:
                throw ProviderConfigurationError("", "The file has to be one JSON object.")
            case .notUTF8:
                throw ProviderConfigurationError("", "The file has to be UTF-8.")
            case .tooLarge, .tooDeep, .tooManyValues:
                throw ProviderConfigurationError("", "The file is too large.")
            }
        }
    }
}

extension String {
    fileprivate func path(in folder: URL) -> String { URL(filePath: self, relativeTo: folder).path }
}
