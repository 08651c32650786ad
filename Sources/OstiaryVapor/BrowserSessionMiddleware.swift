#if Vapor
    import HTTPTypes
    import Logging
    import NIOHTTP1
    import OstiaryObservability
    public import OstiaryServer
    public import Vapor

    /// Lets in requests of browsers that have signed in, and answers all others itself.
    ///
    ///     let orders = app.grouped(BrowserSessionMiddleware(web)).grouped("orders")
    ///     orders.get { request in try request.auth.require(ServerSession.self).subject }
    ///
    /// A request without a session gets 401, or a redirect to the sign-in, and one that a page of another origin
    /// caused 403: no route needs another defence against cross-site request forgery. Pages of the sign-in's named
    /// origins can read the responses; for their preflights add the middleware to the application itself
    /// (`app.middleware.use`), since a group's middleware sees the methods of its routes alone.
    ///
    /// A response without `Cache-Control` is kept by no shared cache, and by the browser only to be validated; so is
    /// that to an `AbortError` of a route.
    public struct BrowserSessionMiddleware: AsyncMiddleware {
        /// The sign-in whose sessions are let in.
        public let browser: BrowserSignIn
        private let refusal: GatewayCheck.Refusal
        private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

        /// Protects the routes of a group.
        ///
        /// - Parameters:
        ///   - browser: The sign-in whose sessions are let in.
        ///   - refusal: The response to a user without a session who loads a page; scripts get 401. A redirect needs
        ///     cookies that are `lax`, and the request's path has to be the one that browsers know. Default: 401.
        public init(_ browser: BrowserSignIn, refusing refusal: GatewayCheck.Refusal = .unauthorized) {
            self.browser = browser
            self.refusal = refusal
        }

        /// Finds the session of a request, and passes the request on with it in `request.auth`.
        ///
        /// - Throws: The error of the route; an `AbortError` with the fields that a response gets, and of another type
        ///   than the route's unless it is an `Abort`.
        public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
            let asked = ServerRequest(request)
            if asked.method == .options, asked.fields[.accessControlRequestMethod] != nil {
                return refused(browser.preflight(asked, methods: Self.methods), request)
            }
            do throws(BrowserRefusal) {
                request.auth.login(try await browser.session(of: asked))
            } catch {
                let redirect = refusal == .redirect ? browser.redirect(from: asked, after: error) : nil
                return refused(redirect ?? error.response, request)
            }
            let sharing = browser.sharing(with: asked)
            do {
                let response = try await next.respond(to: request)
                Self.add(sharing, to: &response.headers)
                return response
            } catch var error as Abort {
                Self.add(sharing, to: &error.headers)
                throw error
            } catch let error as any AbortError {
                var headers = error.headers
                Self.add(sharing, to: &headers)
                throw RouteError(error, headers: headers)
            }
        }

        /// Adds what the response to a browser with a session has besides the route's fields.
        private static func add(_ sharing: HTTPFields, to headers: inout HTTPHeaders) {
            headers.add(contentsOf: HTTPHeaders(of: sharing))
            if !headers.contains(name: .cacheControl) {
                headers.add(name: .cacheControl, value: "private, no-cache")
            }
            headers.add(name: .vary, value: "Cookie")
        }

        private func refused(_ response: ServerResponse, _ request: Request) -> Response {
            RefusalReports.note(response, to: request)
            return Response(response)
        }
    }

    /// The error of a route with the fields of the middleware.
    private struct RouteError: AbortError, DebuggableError {
        let headers: HTTPHeaders
        private let error: any AbortError

        init(_ error: any AbortError, headers: HTTPHeaders) {
            self.error = error
            self.headers = headers
        }

        private var debuggable: (any DebuggableError)? { error as? any DebuggableError }

        var status: HTTPResponseStatus { error.status }
        var reason: String { error.reason }
        var identifier: String { debuggable?.identifier ?? String(describing: type(of: error)) }
        var source: ErrorSource? { debuggable?.source }
        var logLevel: Logger.Level { debuggable?.logLevel ?? .warning }
        var description: String { String(describing: error) }
    }
#endif
