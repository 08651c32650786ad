public import Foundation
public import Logging
import OstiaryJOSE
import OstiaryOAuth
public import OstiaryServer

/// The configuration of a service, read from one JSON file that refers to secrets and does not contain them.
///
/// `docs/backend.md` lists the members.
public struct BackendConfiguration: Sendable {
    /// The address and port of a listener.
    public struct Listening: Sendable, Hashable {
        /// An address of this machine.
        ///
        /// Default: `127.0.0.1`.
        public var address = "127.0.0.1"
        /// Default: 8080; 0 for any free port.
        public var port = 8080
    }

    /// The service's own certificate files, for a service without a proxy in front of it.
    public struct Certificate: Sendable, Hashable {
        /// The certificate and its intermediates, in PEM.
        public var chain: String
        /// The private key, in PEM.
        public var key: String
    }

    /// The source of the client's address that rate limits count by.
    public enum ClientAddress: String, Sendable, CaseIterable {
        /// The peer of the connection.
        case connection
        /// The last entry of `X-Forwarded-For` that is not a trusted proxy's.
        case forwarded
    }

    /// When tables are migrated to the program's version.
    public enum Migration: String, Sendable, CaseIterable {
        /// By every start.
        case onStart = "on_start"
        /// By `ostiary-backend migrate` alone: a start fails with tables of another version.
        case byCommand = "by_command"
    }

    /// The public listener.
    public let listening: Listening
    /// The service's certificate; `nil` where a proxy terminates TLS.
    public let certificate: Certificate?
    /// The service's public origins.
    public let origins: [ExternalOrigin]
    /// The source of the client's address.
    public let clientAddress: ClientAddress
    /// The trusted proxies: `X-Forwarded-For`, `X-Request-Id` and certificate fields of other peers are ignored.
    ///
    /// `nil` where none are named: then every peer's fields are read.
    public let trustedProxies: [AddressRange]?
    /// The listener of `/metrics` and `/ready`; `nil` where the public listener serves them.
    public let admin: Listening?
    /// The largest number of simultaneous connections.
    public let maximumConnections: Int
    /// The largest number of simultaneous connections to one issuer's host.
    public let issuerConnections: Int
    /// The largest number of simultaneous connections to one API's host.
    public let forwardConnections: Int
    /// The largest number of remembered proofs of one key, which limits the key's requests within a proof's lifetime.
    public let proofsPerKey: Int
    /// The store.
    public let store: StoreSettings
    /// The server that keeps replays and limits; `nil` where the store does.
    public let replaysAndLimits: ReplaysAndLimitsSettings?
    /// When tables are migrated.
    public let migration: Migration
    /// The keys that seal stored user data.
    public let sealing: SealingKeys
    /// The collector that spans are exported to; `nil` where none is named.
    public let otlpEndpoint: String?
    /// The lowest level that is logged.
    public let logLevel: Logger.Level
    /// The handoff of authorization codes; `nil` for a service without one.
    public let handoff: HandoffSettings?
    /// The sign-ins for apps.
    public let signIns: [SignInSettings]
    /// The sign-in of web apps; `nil` for a service without one.
    public let browser: BrowserSettings?
    /// The field in which the proxy forwards client certificates; `nil` where no proxy does.
    public let certificateField: CertificateField?
    /// The nonces that proofs must carry; `nil` where none are required.
    public let nonces: ServerNonces?
    /// The protected resources.
    public let resources: [ResourceSettings]
    /// The longest lifetime of the issuers' access tokens, in seconds; a revocation is remembered for as long.
    public let longestTokenLifetime: Duration
    /// The largest number of revocations in memory.
    public let maximumRevocations: Int
    /// The longest wait for open requests when the service stops, in seconds.
    public let drainingTime: Duration
    /// The longest time for receiving a request, and for an idle connection, in seconds.
    public let requestTime: Duration

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: At most 256 KiB.
    ///   - environment: The variables for `{"environment": …}`. Default: the process's.
    /// - Throws: ``BackendConfigurationError``, which names the invalid member.
    public init(
        contentsOf path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BackendConfigurationError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BackendConfigurationError(
                "",
                "Cannot read the configuration file \(path): check the path and its permissions."
            )
        }
        let folder = URL(filePath: path).deletingLastPathComponent()
        try self.init(parsing: Array(data), sources: .init(folder: folder, environment: environment))
    }

    init(parsing bytes: [UInt8], sources: Setting.Sources) throws(BackendConfigurationError) {
        let root = try Setting(path: "", value: .object(Self.parse(bytes)), sources: sources).object(
            of: "listen",
            "tls",
            "origins",
            "client_address",
            "client_certificates",
            "dpop_nonces",
            "store",
            "replays_and_limits",
            "migrate",
            "sealing_keys",
            "log_level",
            "otlp_endpoint",
            "ssafy",
            "sign_in",
            "logi",
            "browser",
            "resources",
            "longest_token_seconds",
            "revocations",
            "draining_seconds",
            "request_seconds",
            "trusted_proxies",
            "admin",
            "connections",
            "issuer_connections",
            "forward_connections",
            "proofs_per_key"
        )
        listening =
            try root["listen"].map { setting throws(BackendConfigurationError) in try Listening(setting) }
            ?? Listening()
        certificate = try root["tls"].map { setting throws(BackendConfigurationError) in try Certificate(setting) }
        origins = try Self.origins(root.required("origins"))
        clientAddress = try root["client_address"]?.choice(ClientAddress.self) ?? .connection
        certificateField = try root["client_certificates"].map { setting throws(BackendConfigurationError) in
            try CertificateField(setting)
        }
        trustedProxies = try root["trusted_proxies"].map { setting throws(BackendConfigurationError) in
            try AddressRange.list(setting)
        }
        admin = try root["admin"].map { setting throws(BackendConfigurationError) in
            try Listening(setting, port: 8081)
        }
        maximumConnections = try root["connections"]?.integer(in: 1...1_000_000) ?? 10_000
        issuerConnections = try root["issuer_connections"]?.integer(in: 1...10_000) ?? 100
        forwardConnections = try root["forward_connections"]?.integer(in: 1...10_000) ?? 100
        proofsPerKey = try root["proofs_per_key"]?.integer(in: 100...10_000_000) ?? 10_000
        let origins = origins
        nonces = try root["dpop_nonces"].map { setting throws(BackendConfigurationError) in
            try ServerNonces(setting, of: origins)
        }
        store = try StoreSettings(root.required("store"))
        replaysAndLimits = try root["replays_and_limits"].map { setting throws(BackendConfigurationError) in
            try ReplaysAndLimitsSettings(setting)
        }
        migration = try root["migrate"]?.choice(Migration.self) ?? .onStart
        sealing = try Self.sealing(root.required("sealing_keys"))
        otlpEndpoint = try root["otlp_endpoint"]?.text()
        if let otlpEndpoint { try Self.requireHTTP(otlpEndpoint, of: "otlp_endpoint") }
        logLevel = try root["log_level"]?.choice(Logger.Level.self) ?? .info
        handoff = try root["ssafy"].map { setting throws(BackendConfigurationError) in try HandoffSettings(setting) }
        var signIns: [SignInSettings] = []
        for setting in try root["sign_in"]?.oneOrMore() ?? [] {
            signIns.append(try SignInSettings(setting, origins: origins))
        }
        let logi = try root["logi"].map { setting throws(BackendConfigurationError) in
            try SignInSettings(logi: setting)
        }
        self.signIns = signIns + [logi].compactMap(\.self)
        browser = try root["browser"].map { setting throws(BackendConfigurationError) in
            try BrowserSettings(setting, origins: origins)
        }
        var resources: [ResourceSettings] = []
        for setting in try root["resources"]?.elements() ?? [] { resources.append(try ResourceSettings(setting)) }
        self.resources = resources
        longestTokenLifetime = try root["longest_token_seconds"]?.seconds(in: 60...2_592_000) ?? .seconds(86_400)
        maximumRevocations = try root["revocations"]?.integer(in: 1_000...10_000_000) ?? 100_000
        drainingTime = try root["draining_seconds"]?.seconds(in: 0...600) ?? .seconds(20)
        requestTime = try root["request_seconds"]?.seconds(in: 0.1...300) ?? .seconds(20)
        try checkPaths()
        try checkGateway()
        try checkProxies()
        try checkBindings()
        try checkKeys()
        try checkIntrospection()
    }

    /// Rejects a text other than an HTTP URL without a query.
    ///
    /// `member` is the member or variable that it is the value of.
    public static func requireHTTP(_ text: String, of member: String) throws(BackendConfigurationError) {
        let url = URLComponents(string: text)
        let isHTTP = url?.scheme == "http" || url?.scheme == "https"
        guard isHTTP, let host = url?.host, !host.isEmpty, url?.query == nil, url?.user == nil else {
            throw BackendConfigurationError(member, "Expected a URL, such as http://collector.example.com:4318.")
        }
    }

    /// Rejects a configuration in which any client could forge the certificate field, and so another client's identity.
    private func checkProxies() throws(BackendConfigurationError) {
        guard certificateField != nil, trustedProxies == nil, !listening.isLoopback else { return }
        throw BackendConfigurationError(
            "client_certificates",
            "Any client that reaches \(listening.address) could forge this field: set trusted_proxies to the proxies' addresses, such as [\"10.0.0.0/8\"]."
        )
    }

    /// Rejects a configuration whose gateway response would disclose the access token to a page's script.
    private func checkGateway() throws(BackendConfigurationError) {
        guard browser?.gateway?.passesAccessToken == true, trustedProxies == nil else { return }
        throw BackendConfigurationError(
            "browser.gateway.access_token",
            "Any client could fetch the access token from \(browser?.gateway?.path ?? ""): set trusted_proxies to the proxies' addresses, such as [\"127.0.0.1\"]."
        )
    }

    /// Warnings about settings that are allowed and seldom intended, for the operator.
    public var warnings: [String] {
        var warnings: [String] = []
        if certificate == nil, clientAddress == .connection {
            warnings.append(
                "Neither tls nor client_address is set: behind a proxy, all clients count as one sender and share the limits of sign-ins. Set client_address to forwarded."
            )
        }
        if clientAddress == .forwarded, trustedProxies == nil, !listening.isLoopback {
            warnings.append(
                "client_address is forwarded without trusted_proxies: any client that reaches \(listening.address) can choose the address that its requests count for. Set trusted_proxies to the proxies' addresses."
            )
        }
        return warnings
    }

    /// Rejects routes that no token could satisfy.
    private func checkBindings() throws(BackendConfigurationError) {
        guard certificateField == nil,
            let index = resources.firstIndex(where: { $0.policy.binding == .mtls })
        else { return }
        throw BackendConfigurationError(
            "resources[\(index)].binding",
            "Certificate-bound tokens need the client's certificate: set client_certificates to the field in which the proxy forwards it."
        )
    }

    /// Rejects two key set URLs for one issuer, of which one would never be used.
    private func checkKeys() throws(BackendConfigurationError) {
        var places: [Issuer: String] = [:]
        for (index, resource) in resources.enumerated() {
            guard let place = resource.keysURL, let issuer = resource.policy.issuers.first else { continue }
            guard let other = places.updateValue(place, forKey: issuer), other != place else { continue }
            throw BackendConfigurationError(
                "resources[\(index)].jwks_uri",
                "Another resource of \(issuer) has another jwks_uri: give both the same."
            )
        }
    }

    /// Rejects two introspection settings for one issuer, of which one would never be used.
    private func checkIntrospection() throws(BackendConfigurationError) {
        var clients: [Issuer: String] = [:]
        for (index, resource) in resources.enumerated() {
            guard let client = resource.introspection?.clientID, let issuer = resource.policy.issuers.first,
                let other = clients.updateValue(client, forKey: issuer), other != client
            else { continue }
            throw BackendConfigurationError(
                "resources[\(index)].introspection",
                "Found client_id \(client), but another resource of \(issuer) has \(other): give both the same client_id."
            )
        }
    }

    /// The credentials that a reload replaces, by the section that contains them.
    var credentials: [String: ClientCredentials] {
        var all: [String: ClientCredentials] = [:]
        for signIn in signIns { all["the sign-in at \(signIn.path)"] = signIn.credentials }
        all["browser"] = browser?.credentials
        for resource in resources {
            guard let introspection = resource.introspection, let issuer = resource.policy.issuers.first else {
                continue
            }
            let name = "introspection at \(issuer)"
            // The first one is used.
            if all[name] == nil { all[name] = introspection.credentials }
        }
        return all
    }

    /// Rejects two endpoints at one path, of which one would never be reached.
    private func checkPaths() throws(BackendConfigurationError) {
        for (index, signIn) in signIns.enumerated() {
            guard signIns[..<index].contains(where: { $0.path == signIn.path }) else { continue }
            throw BackendConfigurationError(
                "\(signIn.section).path",
                "Found \(signIn.path), the path of another sign-in: give each sign-in a path of its own."
            )
        }
        var paths = resources.map(\.path) + signIns.flatMap(\.paths) + (browser?.paths ?? [])
        if let handoff { paths.append(handoff.path) }
        for forward in signIns.flatMap(\.forwards) + (browser?.forwards ?? []) {
            if let below = paths.first(where: { $0.hasPrefix(forward.path + "/") }) {
                throw BackendConfigurationError(
                    "",
                    "\(below) lies below \(forward.path), which forwards every request below it: change one of the paths."
                )
            }
        }
        for (index, path) in paths.enumerated() where paths[..<index].contains(path) {
            throw BackendConfigurationError("", "Two endpoints have the path \(path): change one of them.")
        }
    }

    private static func origins(_ setting: Setting) throws(BackendConfigurationError) -> [ExternalOrigin] {
        var origins: [ExternalOrigin] = []
        for element in try setting.elements() {
            origins.append(try element.reading { text throws(SignInError) in try ExternalOrigin(text) })
        }
        guard !origins.isEmpty else {
            throw setting.wrong("Name at least one origin, such as https://api.example.com.")
        }
        return origins
    }

    private static func sealing(_ setting: Setting) throws(BackendConfigurationError) -> SealingKeys {
        var keys: [SealingKeys.Key] = []
        var retired: Set<String> = []
        for element in try setting.elements() {
            let object = try element.object(of: "id", "key", "retired")
            let id = try object.required("id").text()
            if let setting = object["retired"] {
                guard setting.value.bool == true, object["key"] == nil else {
                    throw setting.wrong("Expected {\"id\": \"\(id)\", \"retired\": true}, without the key.")
                }
                retired.insert(id)
                continue
            }
            let text = try object.required("key").secret().reveal()
            guard let data = Data(base64Encoded: text), data.count == 32 else {
                throw element.wrong("Expected 32 random bytes in Base64. Make a key with: openssl rand -base64 32")
            }
            guard !keys.contains(where: { $0.id == id }) else {
                throw element.wrong("Two keys have the id \(id): give each its own.")
            }
            do throws(SignInError) {
                keys.append(try SealingKeys.Key(id: id, bytes: Array(data)))
            } catch {
                throw element.wrong(error.sentence)
            }
        }
        guard let current = keys.first else {
            throw setting.wrong("Name at least one key that is not retired: the first one seals.")
        }
        return SealingKeys(current, Array(keys.dropFirst()), retired: retired)
    }

    private static func parse(_ bytes: [UInt8]) throws(BackendConfigurationError) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject(parsing: bytes)
        } catch {
            switch error {
            case .malformed(let offset):
                let line = bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
                throw BackendConfigurationError("", "The configuration is not valid JSON at line \(line).")
            case .duplicateMember(let name):
                throw BackendConfigurationError("", "The member \"\(name)\" occurs twice in one object: remove one.")
            case .notAnObject: throw BackendConfigurationError("", "The configuration is not a JSON object: write {…}.")
            case .notUTF8: throw BackendConfigurationError("", "The configuration is not UTF-8: convert the file.")
            case .tooLarge:
                throw BackendConfigurationError(
                    "",
                    "The configuration has \(bytes.count) bytes; at most 262,144 are read."
                )
            case .tooDeep:
                throw BackendConfigurationError(
                    "",
                    "The configuration is nested too deeply: at most 16 levels are read."
                )
            case .tooManyValues:
                throw BackendConfigurationError("", "The configuration has too many values: at most 10,000 are read.")
            }
        }
    }
}

extension BackendConfiguration.Listening {
    /// Whether only this machine can connect.
    var isLoopback: Bool { ["localhost", "::1"].contains(address) || address.hasPrefix("127.") }

    fileprivate init(_ setting: Setting, port standard: Int = 8080) throws(BackendConfigurationError) {
        let object = try setting.object(of: "address", "port")
        port = standard
        if let setting = object["address"] { address = try setting.text() }
        if let setting = object["port"] { port = try setting.integer(in: 0...65_535) }
    }
}

extension BackendConfiguration.Certificate {
    fileprivate init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: "certificate_chain", "private_key")
        chain = try object.required("certificate_chain").file()
        key = try object.required("private_key").file()
    }
}
