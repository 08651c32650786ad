#if Hummingbird
    public import Hummingbird
    public import OstiaryServer

    extension RouterMethods {
        /// Mounts the sign-in of a web app: `login`, `callback`, `session`, `sessions` and `logout` below a path.
        ///
        /// - Parameters:
        ///   - browser: The sign-in.
        ///   - path: The path at this server, which a proxy may have shortened: the one of the sign-in's URL otherwise.
        ///   - sender: Who sends a request, for limits, as in `add(_:at:for:bodyDeadline:sender:)`. Default: nobody is known.
        @discardableResult
        public func add(
            _ browser: BrowserSignIn,
            at path: String,
            sender: @escaping @Sendable (Request, Context) -> String? = { _, _ in nil }
        ) -> Self {
            add(browser.login, at: RouterPath(path + "/login"), sender: sender)
            add(browser.callback, at: RouterPath(path + "/callback"), sender: sender)
            add(browser.session, at: RouterPath(path + "/session"), for: browser.session.methods + [.options])
            add(browser.list, at: RouterPath(path + "/sessions"), for: browser.list.methods + [.options])
            add(browser.logout, at: RouterPath(path + "/logout"), for: browser.logout.methods + [.options])
            return self
        }
    }
#endif
