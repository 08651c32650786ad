#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    /// A request context that holds the access token with which the request was admitted.
    ///
    /// ``BasicAccessTokenContext`` is one that holds nothing else. A context of an app's own conforms with two members:
    ///
    ///     struct APIContext: AccessTokenContext {
    ///         var coreContext: CoreRequestContextStorage
    ///         var accessToken: VerifiedAccessToken?
    ///         init(source: Source) { coreContext = .init(source: source) }
    ///     }
    public protocol AccessTokenContext: RequestContext {
        /// The token that ``AccessTokenMiddleware`` verified; `nil` on a route without the middleware.
        var accessToken: VerifiedAccessToken? { get set }
        /// The certificate that the sender's TLS connection proved; `nil` without one, which is the default.
        ///
        /// A server that ends the TLS connections itself sets it; behind a proxy see `CertificateField`.
        var clientCertificate: ClientCertificate? { get }
    }

    extension AccessTokenContext {
        /// No certificate.
        public var clientCertificate: ClientCertificate? { nil }
    }

    extension AccessTokenContext {
        /// Returns the token with which the request was admitted.
        ///
        /// - Throws: 500 Internal Server Error when the route has no ``AccessTokenMiddleware``: the server is set up
        ///   wrongly, whatever the client sends.
        public func requireAccessToken() throws(HTTPError) -> VerifiedAccessToken {
            guard let accessToken else { throw HTTPError(.internalServerError) }
            return accessToken
        }
    }

    /// The request context of a router whose routes need the verified access token alone.
    ///
    ///     let router = Router(context: BasicAccessTokenContext.self)
    public struct BasicAccessTokenContext: AccessTokenContext {
        /// Hummingbird's own part.
        public var coreContext: CoreRequestContextStorage
        /// The token that ``AccessTokenMiddleware`` verified; `nil` on a route without the middleware.
        public var accessToken: VerifiedAccessToken?

        /// Begins with a request.
        public init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
        }
    }
#endif
