#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    import OstiaryObservability
    public import OstiaryServer

    /// A request context that holds the session of the browser that sent the request.
    public protocol BrowserSessionContext: RequestContext {
        /// The session that ``BrowserSessionMiddleware`` found; `nil` on a route without the middleware.
        var browserSession: ServerSession? { get set }
    }

    extension BrowserSessionContext {
        /// Returns the session of the browser that sent the request.
        ///
        /// - Throws: 500 Internal Server Error when the route has no ``BrowserSessionMiddleware``.
        public func requireBrowserSession() throws(HTTPError) -> ServerSession {
            guard let browserSession else { throw HTTPError(.internalServerError) }
            return browserSession
        }
    }

    /// Admits requests of browsers that have signed in, and responds to all others itself.
    ///
    /// It covers the routes that are added after it:
    ///
    ///     let orders = router.group("orders").add(middleware: BrowserSessionMiddleware(web))
    ///     orders.get { _, context in try context.requireBrowserSession().subject }
    ///
    /// A request without a session gets 401, or a redirect to the sign-in, and one that a page of another origin caused
    /// gets 403: no route needs another defense against cross-site request forgery. Pages of the sign-in's named
    /// origins can read the responses; for their preflights add the middleware to the router itself, since a group's
    /// middleware sees the methods of its routes alone.
    ///
    /// A response without `Cache-Control` is stored by no shared cache, and by the browser only to be revalidated.
    public struct BrowserSessionMiddleware<Context: BrowserSessionContext>: RouterMiddleware {
        /// The sign-in whose sessions are admitted.
        public let browser: BrowserSignIn
        private let refusal: GatewayCheck.Refusal
        private static var methods: [HTTPRequest.Method] { [.get, .post, .put, .patch, .delete] }

        /// Protects the routes that are added after it.
        ///
        /// - Parameters:
        ///   - browser: The sign-in whose sessions are admitted.
        ///   - refusal: The response to a user without a session who loads a page; scripts get 401. A redirect needs
        ///     cookies that are `lax`, and the request's path has to be the one that browsers know. Default: 401.
        public init(_ browser: BrowserSignIn, refusing refusal: GatewayCheck.Refusal = .unauthorized) {
            self.browser = browser
            self.refusal = refusal
        }

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
            if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
                return refused(browser.preflight(asked, methods: Self.methods), request, context)
            }
            var context = context
            do throws(BrowserRefusal) {
                context.browserSession = try await browser.session(of: asked)
            } catch {
                let redirect = refusal == .redirect ? browser.redirect(from: asked, after: error) : nil
                return refused(redirect ?? error.response, request, context)
            }
            let sharing = browser.sharing(with: asked)
            var response: Response
            do {
                response = try await next(request, context)
            } catch let error as any HTTPResponseError {
                // A page of a named origin can read the error, and no shared cache stores it.
                response = try error.response(from: request, context: context)
            }
            for field in sharing { response.headers.append(field) }
            response.headers[.cacheControl] = response.headers[.cacheControl] ?? "private, no-cache"
            response.headers.append(HTTPField(name: .vary, value: "Cookie"))
            return response
        }

        private func refused(_ response: ServerResponse, _ request: Request, _ context: Context) -> Response {
            RefusalReports.note(response, to: request, context)
            return Response(response)
        }
    }
#endif
