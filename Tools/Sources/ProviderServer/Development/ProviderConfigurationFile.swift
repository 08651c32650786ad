import Foundation
import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// A provider's settings in a JSON file: its clients, its people, and where it listens and keeps its records.
///
/// Clients have the names of RFC 7591 section 2: `client_id`, `client_name`, `client_secret`,
/// `token_endpoint_auth_method`, `redirect_uris`, `post_logout_redirect_uris`, `scope`, `grant_types`,
/// `id_token_signed_response_alg`, `userinfo_signed_response_alg`; and `require_consent` and `may_introspect`. People have `name`,
/// `password` or `password_hash`, `sub` and `claims`. Besides `clients` and `users` there may be `issuer`, `port`,
/// `store`, `name`, `scopes`, a list of `scope`, `sentence` and `claims`, and `registration`, which says who may register
/// clients: `access` is `closed`, `open`, `initial_access_token` or `software_statement`; beside it there may be
/// `initial_access_tokens`, `software_statement_issuers` (a key set for each issuer), `client_secret_lifetime` in seconds
/// and `rotate`, a list of `access_token_on_read`, `access_token_on_update`, `secret_on_read` and `secret_on_update`.
public struct ProviderConfigurationFile: Sendable {
    /// The issuer identifier; `nil` for the address that the provider listens on.
    public let issuer: Issuer?
    /// The port to listen on; `nil` when it does not say.
    public let port: Int?
    /// The SQLite file to keep records in; `nil` to keep them in memory.
    ///
    /// A relative path starts at the configuration file's folder.
    public let storePath: String?
    /// The name that pages show; `nil` when it does not say.
    public let name: String?
    /// The registered clients.
    public let clients: [RegisteredClient]
    /// The people who can sign in.
    public let users: [ProviderUser]
    /// Scopes besides the standard ones.
    public let scopes: [ProviderScope]
    /// Who may register clients; nobody when it does not say.
    public let registration: RegistrationPolicy
    /// The resource servers that tokens can be asked for.
    public let resources: [ProviderResource]
    /// Whether proofs of possession have to carry a nonce.
    public let requiresNonces: Bool
    /// Whether authorization requests have to be pushed.
    public let requiresPushedRequests: Bool

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file; at most 256 KiB.
    ///   - cost: What plain passwords are hashed with.
    ///   - random: Where salts come from.
    /// - Throws: ``ProviderConfigurationError`` that names the member that is wrong.
    public init(
        contentsOf path: String,
        cost: PasswordHash.Cost = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ProviderConfigurationError("", "The file \(path) cannot be read.")
        }
        let folder = URL(filePath: path).deletingLastPathComponent()
        try self.init(parsing: Array(data), folder: folder, cost: cost, using: &random)
    }

    init(
        parsing bytes: [UInt8],
        folder: URL,
        cost: PasswordHash.Cost,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) {
        let root = try Self.parse(bytes).object(of: [
            "issuer", "port", "store", "name", "clients", "users", "scopes", "registration", "resources",
            "dpop_nonces", "require_pushed_authorization_requests",
        ])
        issuer = try root["issuer"]?.issuer()
        port = try root["port"]?.integer(in: 0...65_535)
        storePath = try root["store"]?.string().path(in: folder)
        name = try root["name"]?.string()
        clients = try root.required("clients").clients()
        users = try root.required("users").users(cost: cost, using: &random)
        scopes = try root["scopes"]?.scopes() ?? []
        registration = try root["registration"]?.registration() ?? .closed
        resources = try root["resources"]?.resources() ?? []
        requiresNonces = try root["dpop_nonces"]?.bool() ?? false
        requiresPushedRequests = try root["require_pushed_authorization_requests"]?.bool() ?? false
    }

    /// The configuration for an issuer.
    public func configuration(for issuer: Issuer) -> ProviderConfiguration {
        ProviderConfiguration(
            issuer: issuer,
            name: name ?? "Ostiary",
            clients: clients,
            users: users,
            additionalScopes: scopes,
            dpop: DPoPPolicy(requiresNonce: requiresNonces),
            resources: resources,
            requiresPushedAuthorizationRequests: requiresPushedRequests,
            registration: registration
        )
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
