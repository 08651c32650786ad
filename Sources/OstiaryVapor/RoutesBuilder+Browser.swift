#if Vapor
    import HTTPTypes
    public import OstiaryServer
    public import Vapor

    extension RoutesBuilder {
        /// Mounts the sign-in of a web app: `login`, `callback`, `session`, `sessions` and `logout` below a path.
        ///
        /// - Parameters:
        ///   - browser: The sign-in.
        ///   - path: The path at this server, which a proxy may have shortened: the one of the sign-in's URL otherwise.
        ///   - bodyDeadline: The time that a body may take. Default 10 seconds.
        ///   - sender: The sender of a request, for limits, as in `add(_:at:for:bodyDeadline:sender:)`. With `nil` for
        ///     all of them the limit of one sender holds for the whole service, and one client can use it up.
        /// - Returns: The routes builder, for the next route.
        @discardableResult
        public func add(
            _ browser: BrowserSignIn,
            at path: String,
            bodyDeadline: Duration = .seconds(10),
            sender: @escaping @Sendable (Request) -> String?
        ) -> Self {
            func mount(_ endpoint: some ServerEndpoint, _ place: String, _ methods: [HTTPRequest.Method]) {
                add(endpoint, at: path + place, for: methods, bodyDeadline: bodyDeadline, sender: sender)
            }
            mount(browser.login, "/login", [browser.login.method])
            mount(browser.callback, "/callback", [browser.callback.method])
            mount(browser.session, "/session", browser.session.methods + [.options])
            mount(browser.list, "/sessions", browser.list.methods + [.options])
            mount(browser.logout, "/logout", browser.logout.methods + [.options])
            return self
        }
    }
#endif
