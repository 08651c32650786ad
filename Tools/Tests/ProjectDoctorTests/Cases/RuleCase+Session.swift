import ProjectDoctor

extension RuleCase {
    private static let old = "guard session.start() else { throw CancellationError() }"

    static let session = [
        RuleCase(
            "callback-scheme",
            Sample.signIn,
            on: "callbackURLScheme",
            key: "callbackURLScheme",
            fix: ".https(host:"
        ) {
            try $0.replace(Sample.signIn, old, #"ASWebAuthenticationSession(url: url, callbackURLScheme: "https")"#)
        },
        RuleCase(
            "callback-scheme",
            Sample.signIn,
            on: "callbackURLScheme",
            key: "callbackURLScheme",
            fix: "\"com.example\""
        ) {
            try $0.replace(
                Sample.signIn,
                old,
                #"ASWebAuthenticationSession(url: url, callbackURLScheme: "com.example://")"#
            )
        },
        RuleCase("start-ignored", Sample.signIn, on: "session.start()", key: "start()", fix: "guard session.start()") {
            try $0.replace(Sample.signIn, old, "session.start()")
        },
        RuleCase("anchor-made-up", Sample.signIn, on: "?? ASPres", key: "ASPresentationAnchor()") {
            try $0.replace(Sample.signIn, old, "return window ?? ASPresentationAnchor()")
        },
        RuleCase("embedded-web-view", "Reader/Web.swift", on: "let view", key: "WKWebView") {
            $0.put(
                "Reader/Web.swift",
                """
                import WebKit
                let view = WKWebView()
                view.load(URLRequest(url: URL(string: "https://id.example.com/authorize")!))
                """
            )
        },
    ]
}
