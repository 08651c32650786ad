#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    public import OstiaryServer

    /// A request context with a place for the session of the browser that sent the request.
    public protocol BrowserSessionContext: RequestContext {
        /// The session that ``BrowserSessionMiddleware`` found; `nil` on a route that no such middleware stands before.
        var browserSession: ServerSession? { get set }
    }

    extension BrowserSessionContext {
        /// The session of the browser that sent the request.
        ///
        /// - Throws: 500 Internal Server Error when no ``BrowserSessionMiddleware`` stands before the route.
        public func requireBrowserSession() throws(HTTPError) -> ServerSession {
            guard let browserSession else { throw HTTPError(.internalServerError) }
            return browserSession
        }
    }

    /// Lets in requests of browsers that have signed in, and answers all others itself.
    ///
    /// It covers the routes that are added after it:
    ///
    ///     let orders = router.group("orders").add(middleware: BrowserSessionMiddleware(web))
    ///     orders.get { _, context in try context.requireBrowserSession().subject }
    ///
    /// A request without a session gets 401, and one that a page of another origin caused 403: no route needs another defence
    /// against cross-site request forgery. Pages of the sign-in's named origins can read the responses.
    public struct BrowserSessionMiddleware<Context: BrowserSessionContext>: RouterMiddleware {
        /// The sign-in whose sessions are let in.
        public let browser: BrowserSignIn

        /// Protects the routes that are added after it.
        public init(_ browser: BrowserSignIn) { self.browser = browser }

        /// Finds the session of a request, and passes the request on with it in its context.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let asked = ServerRequest(
                method: request.method,
                target: request.uri.string,
                fields: request.headers
            )
            var context = context
            do throws(BrowserRefusal) {
                context.browserSession = try await browser.session(of: asked)
            } catch {
                RefusalReports.note(error.response, to: request, context)
                return Response(error.response)
            }
            var response = try await next(request, context)
            for field in browser.sharing(with: asked) { response.headers.append(field) }
            return response
        }
    }
#endif
