import AsyncHTTPClient
import Foundation
import NIOSSL
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import Synchronization

/// The trusted certificates and the proxies of this run.
struct CommandNetwork: Sendable {
    /// A proxy, as `--proxy` or a variable names it.
    struct Proxy: Hashable, Sendable {
        let host: String
        let port: Int
        fileprivate let credentials: Secret?

        /// Reads an http URL; a host and port alone are one, too.
        ///
        /// - Throws: ``UsageError`` that names the source and not the value, which may hold a password.
        init(_ text: String, from source: String) throws(UsageError) {
            let whole = text.contains("://") ? text : "http://" + text
            guard let parts = URLComponents(string: whole), parts.scheme?.lowercased() == "http",
                let host = parts.host, !host.isEmpty
            else {
                throw UsageError("\(source) is not the URL of an http proxy, such as http://proxy.example.com:3128.")
            }
            self.host = host
            port = parts.port ?? 80
            credentials = parts.user.map { Secret("\($0):\(parts.password ?? "")") }
        }
    }

    private static let state = Mutex(CommandNetwork())

    /// The network of this run; set before the first request.
    static var current: CommandNetwork {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    private var addedCertificates: [NIOSSLCertificate] = []
    private var trustRoots: NIOSSLTrustRoots?
    private var proxies: [String: Proxy] = [:]
    private var exceptions: [String] = []

    private init() {}

    /// Reads the certificates and the proxies.
    ///
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's certificates, as they do for OpenSSL. `HTTPS_PROXY`,
    /// `http_proxy`, `ALL_PROXY` and `NO_PROXY` are read as curl reads them: `HTTP_PROXY` in capitals is ignored, since
    /// a web server sets it from a request's field.
    ///
    /// - Throws: ``UsageError`` for a file without certificates, or an invalid proxy.
    init(
        _ arguments: GlobalArguments,
        settings: CommandSettings,
        environment: (String) -> String?
    ) throws(UsageError) {
        if let file = arguments.certificateFile ?? settings.certificateFile {
            addedCertificates = try Self.certificates(of: file)
        }
        if let file = environment("SSL_CERT_FILE") {
            trustRoots = .certificates(try Self.certificates(of: file))
        } else if let folder = environment("SSL_CERT_DIR") {
            trustRoots = .file(folder.hasSuffix("/") ? folder : folder + "/")
        }
        func proxy(_ names: String...) throws(UsageError) -> Proxy? {
            for name in names {
                if let text = environment(name) { return try Proxy(text, from: name) }
            }
            return nil
        }
        if let given = arguments.proxy {
            let proxy = try Proxy(given, from: "--proxy")
            proxies = ["https": proxy, "http": proxy]
        } else {
            proxies["https"] = try proxy("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
            proxies["http"] = try proxy("http_proxy", "all_proxy", "ALL_PROXY")
        }
        exceptions = (environment("no_proxy") ?? environment("NO_PROXY") ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    private static func certificates(of path: String) throws(UsageError) -> [NIOSSLCertificate] {
        let bytes = try InputFile.bytes(of: path, "certificate", limit: 16_777_216)
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else { throw UsageError("The file \(path) holds no certificate in PEM.") }
        return certificates
    }

    /// The proxy for a URL; `nil` for a direct connection.
    func proxy(for url: URL) -> Proxy? {
        guard let host = url.host()?.lowercased(), let proxy = proxies[url.scheme?.lowercased() ?? ""],
            !Self.isThisMachine(host)
        else { return nil }
        let isExcepted = exceptions.contains { exception in
            if exception == "*" { return true }
            let name = exception.hasPrefix(".") ? String(exception.dropFirst()) : exception
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
        return isExcepted ? nil : proxy
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
            || host == "[::1]"
    }

    /// A transport with these certificates, through these proxies.
    var transport: any HTTPTransport {
        let direct = makeTransport(through: nil)
        let used = Set(proxies.values)
        guard !used.isEmpty else { return direct }
        var others: [Proxy: AsyncHTTPClientTransport] = [:]
        for proxy in used { others[proxy] = makeTransport(through: proxy) }
        return RoutedTransport(direct: direct, proxied: others, network: self)
    }

    private func makeTransport(through proxy: Proxy?) -> AsyncHTTPClientTransport {
        AsyncHTTPClientTransport { configuration in
            if let proxy {
                configuration.proxy = .server(
                    host: proxy.host,
                    port: proxy.port,
                    authorization: proxy.credentials.map {
                        .basic(credentials: Data($0.reveal().utf8).base64EncodedString())
                    }
                )
            }
            trust(in: &configuration)
        }
    }

    /// Adds the certificates that this run trusts to a client's configuration.
    func trust(in configuration: inout HTTPClient.Configuration) {
        guard !addedCertificates.isEmpty || trustRoots != nil else { return }
        var tls = TLSConfiguration.makeClientConfiguration()
        if let trustRoots { tls.trustRoots = trustRoots }
        if !addedCertificates.isEmpty { tls.additionalTrustRoots = [.certificates(addedCertificates)] }
        configuration.tlsConfiguration = tls
    }
}

/// A transport that chooses the connection by the URL.
private struct RoutedTransport: HTTPTransport {
    let direct: AsyncHTTPClientTransport
    let proxied: [CommandNetwork.Proxy: AsyncHTTPClientTransport]
    let network: CommandNetwork

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let transport = network.proxy(for: request.url).flatMap { proxied[$0] } ?? direct
        return try await transport.send(request)
    }
}
