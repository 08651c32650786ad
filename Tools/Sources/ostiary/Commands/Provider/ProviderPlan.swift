import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The provider's settings, before its issuer is known.
struct ProviderPlan {
    var issuer: Issuer?
    var port: Int?
    var store: StoreLocation
    /// A password that was generated for this run and has not been printed yet.
    var madePassword: Secret?
    /// The key with which the ready-made clients sign their secrets, at a provider that has such secrets.
    var clientKey: SigningKey?
    /// The secret of the ready-made confidential client; `nil` when a file describes the clients.
    var webClientSecret: Secret?
    /// The difference of the provider's clock, in seconds.
    var clockOffset: Double = 0
    /// The rules, given those that hold where no file names any.
    var rules: @Sendable (ProviderRules) -> ProviderRules = { $0 }
    private var made: @Sendable (Issuer) throws -> ProviderConfiguration

    /// The developer of the ready-made clients, as signed secrets name it.
    static let developer = "OSTIARYDEV"

    /// The configuration at an origin, or for the issuer that the file names.
    func configuration(_ origin: Issuer, like manners: ProviderManners) throws -> ProviderConfiguration {
        var configuration = try made(issuer == nil ? manners.issuer(at: origin) : origin)
        configuration.manners = manners
        guard manners.clientSecrets == .signed, let clientKey else { return configuration }
        for index in configuration.clients.indices {
            configuration.clients[index].authenticationMethod = .signedSecret(
                keys: JSONWebKeySet([clientKey.publicKey]),
                developer: Self.developer
            )
        }
        return configuration
    }

    /// Makes the ready-made clients, and one user.
    init(
        user: String?,
        password: Secret?,
        redirectURIs: [RedirectURI],
        store: StoreLocation?,
        using random: inout some RandomNumberGenerator
    ) throws {
        // A development password guards nothing: a slow hash would be most of the start, and of each sign-in.
        var development = try DevelopmentProvider(password: password, cost: .insecureForTests, using: &random)
        if let user { development.rename(user) }
        development.redirectURIs = redirectURIs
        webClientSecret = development.webClientSecret
        let ready = development
        madePassword = password == nil ? development.password : nil
        self.store = store ?? .memory
        clientKey = try SigningKey.generate(.es256)
        made = { issuer in
            var configuration = try ready.configuration(for: issuer)
            configuration.signingAlgorithms = [.es256, .rs256]
            configuration.offerEverything()
            return configuration
        }
    }

    /// Reads the settings from a file.
    init(file: String, store: StoreLocation?, using random: inout some RandomNumberGenerator) throws {
        let file = try ProviderConfigurationFile(contentsOf: file, cost: .insecureForTests, using: &random)
        issuer = file.issuer
        port = file.port
        clockOffset = file.clockOffset
        rules = { file.configurationRules($0) }
        self.store = store ?? file.storePath.map(StoreLocation.folder) ?? .memory
        made = { file.configuration(for: $0) }
    }

    /// The storage of a provider's records.
    ///
    /// `path` is the path of a further issuer, whose file has a name of its own; `nil` for the first one.
    func storage(_ path: String?) throws -> any ProviderStorage {
        switch store {
        case .folder(let file):
            let mark = path?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).map { ".\($0)" }
            return try SQLiteProviderStorage(path: file + (mark ?? ""))
        case .memory, .standard: return MemoryProviderStorage()
        case .keyring: throw UsageError("The provider has no --store keyring: use memory, or file:PATH.")
        }
    }
}

extension ProviderConfiguration {
    /// Turns everything on for trying it: every grant, a resource server, and open registration.
    fileprivate mutating func offerEverything() {
        for index in clients.indices {
            clients[index].grantTypes.formUnion([.deviceCode, .tokenExchange])
            if case .none = clients[index].authenticationMethod { continue }
            clients[index].grantTypes.insert(.clientCredentials)
            clients[index].mayIntrospect = true
        }
        resources = [ProviderResource(identifier: ServeProvider.exampleResource, name: "Example API")]
        registration = .open
    }
}
