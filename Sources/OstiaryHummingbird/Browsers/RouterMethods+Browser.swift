#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    public import OstiaryServer

    extension RouterMethods {
        /// Mounts the sign-in of a web app: `login`, `callback`, `session`, `sessions` and `logout` below a path.
        ///
        /// - Parameters:
        ///   - browser: The sign-in.
        ///   - path: The path at this server, which a proxy may have shortened. Default: the path of the sign-in's URL.
        ///   - bodyDeadline: The longest time for a body. Default 10 seconds.
        ///   - sender: Identifies the sender of a request, for limits, as in `add(_:at:for:bodyDeadline:sender:)`. With
        ///     `nil` for every request the limit of one sender holds for the whole service, and one client can use it
        ///     up.
        /// - Returns: The router, for the next route.
        @discardableResult
        public func add(
            _ browser: BrowserSignIn,
            at path: String,
            bodyDeadline: Duration = .seconds(10),
            sender: @escaping @Sendable (Request, Context) -> String?
        ) -> Self {
            func mount(_ endpoint: some ServerEndpoint, _ place: String, _ methods: [HTTPRequest.Method]) {
                add(
                    endpoint,
                    at: RouterPath(path + place),
                    for: methods,
                    bodyDeadline: bodyDeadline,
                    sender: sender
                )
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
