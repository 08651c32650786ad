#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    /// A request context with a place for the access token that the request was let in with.
    ///
    ///     struct APIContext: AccessTokenContext {
    ///         var coreContext: CoreRequestContextStorage
    ///         var accessToken: VerifiedAccessToken?
    ///         init(source: Source) { coreContext = .init(source: source) }
    ///     }
    public protocol AccessTokenContext: RequestContext {
        /// The token that ``AccessTokenMiddleware`` checked; `nil` on a route that no such middleware stands before.
        var accessToken: VerifiedAccessToken? { get set }
        /// The certificate that the sender's TLS connection has proven; `nil` without one, which is the default.
        ///
        /// A server that ends the TLS connections itself puts it there; behind a proxy see `CertificateField`.
        var clientCertificate: ClientCertificate? { get }
    }

    extension AccessTokenContext {
        /// None.
        public var clientCertificate: ClientCertificate? { nil }
    }

    extension AccessTokenContext {
        /// The token that the request was let in with.
        ///
        /// - Throws: 500 Internal Server Error when no ``AccessTokenMiddleware`` stands before the route: the server is put
        ///   together wrongly, and nothing that the client sends can change that.
        public func requireAccessToken() throws(HTTPError) -> VerifiedAccessToken {
            guard let accessToken else { throw HTTPError(.internalServerError) }
            return accessToken
        }
    }
#endif
