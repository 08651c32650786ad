import OstiaryOAuth
public import OstiaryPostgreSQL

/// The store of a service.
public enum StoreSettings: Sendable {
    /// In memory, until the process ends; for development.
    case memory
    /// In a file, for one instance.
    case sqlite(path: String)
    /// In a database that all instances share.
    case postgreSQL(PostgreSQLConfiguration)

    private enum Kind: String, CaseIterable { case memory, sqlite, postgresql }
    private enum Security: String, CaseIterable { case none, encrypted, verified }

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "type",
            "path",
            "host",
            "port",
            "database",
            "user",
            "password",
            "security",
            "certificate_authorities",
            "connections",
            "waiting_seconds",
            "connect_seconds",
            "statement_seconds",
            "transaction_pooler"
        )
        switch try object.required("type").choice(Kind.self) {
        case .memory: self = .memory
        case .sqlite: self = .sqlite(path: try object.required("path").file())
        case .postgresql: self = .postgreSQL(try Self.database(object))
        }
    }

    private static func database(_ object: SettingObject) throws(BackendConfigurationError) -> PostgreSQLConfiguration {
        let host = try object.required("host").text()
        let port = try object["port"]?.integer(in: 1...65_535) ?? 5432
        let database = try object.required("database").text()
        let user = try object.required("user").text()
        let password = try object["password"]?.secret()
        let security = try security(object)
        var configuration: PostgreSQLConfiguration
        do throws(SignInError) {
            configuration = try PostgreSQLConfiguration(
                host: host,
                port: port,
                database: database,
                user: user,
                password: password,
                security: security
            )
        } catch {
            throw object.setting.wrong(error.sentence)
        }
        if let setting = object["connections"] { configuration.connections = try setting.integer(in: 1...200) }
        if let setting = object["waiting_seconds"] {
            configuration.waitingTime = try setting.seconds(in: 0.01...60)
        }
        if let setting = object["connect_seconds"] {
            configuration.connectTime = try setting.seconds(in: 0.1...60)
        }
        if let setting = object["statement_seconds"] {
            configuration.statementTime = try setting.seconds(in: 0.1...60)
        }
        configuration.isTransactionPooler = try object["transaction_pooler"]?.isOn() ?? false
        return configuration
    }

    private static func security(
        _ object: SettingObject
    ) throws(BackendConfigurationError) -> PostgreSQLConfiguration.TransportSecurity {
        switch try object.required("security").choice(Security.self) {
        case .none: .none
        case .encrypted: .encryptedWithoutVerification
        case .verified:
            .verified(
                certificateAuthorities: try object["certificate_authorities"]?.file()
                    ?? "/etc/ssl/certs/ca-certificates.crt"
            )
        }
    }
}
