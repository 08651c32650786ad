/// The rules for the browser session in the code.
extension Rule {
    static let session = [callbackScheme, startIgnored, emptyAnchor, embeddedWebView]

    private static let callbackScheme = Rule(
        "callback-scheme",
        .problem,
        "`callbackURLScheme` is `https`, or is more than a scheme: it never matches",
        source: Document.session
    ) { rule, project in
        project.sources.flatMap { source in
            source.literals.filter { source.name(of: $0) == "callbackURLScheme" && !$0.isInterpolated }.compactMap {
                literal in
                let isWeb = ["https", "http"].contains(literal.text.lowercased())
                guard isWeb || !SchemeForm(literal.text).isValid, !literal.text.contains("_") else { return nil }
                let scheme = SchemeForm(String(literal.text.prefix { $0 != ":" })).repaired
                return rule.finding(
                    Finding.Place(file: source.path, line: literal.line, key: "callbackURLScheme"),
                    isWeb
                        ? "No https callback matches as a scheme: the sheet stays open."
                        : "This takes a scheme alone, without a colon or slashes.",
                    now: literal.text,
                    fix: isWeb
                        ? "ASWebAuthenticationSession(url: url, callback: .https(host: host, path: path)) { … }"
                        : scheme.map { "\"\($0)\"" }
                )
            }
        }
    }

    private static let startIgnored = Rule(
        "start-ignored",
        .warning,
        "The result of the session's `start()` is ignored",
        source: Document.session
    ) { rule, project in
        project.sources.filter { $0.uses("ASWebAuthenticationSession") }.flatMap { source in
            source.lines(of: "start").filter { line in
                let code = source.codeLine(line).trimmed.lowercased()
                return code.hasSuffix("session.start()") && code.allSatisfy { $0.isLetter || "().?_!".contains($0) }
            }.map { line in
                rule.finding(
                    Finding.Place(file: source.path, line: line, key: "start()"),
                    "A session that is refused makes no callback, and the sign-in waits forever.",
                    fix: "guard session.start() else { throw … }"
                )
            }
        }
    }

    private static let emptyAnchor = Rule(
        "anchor-made-up",
        .warning,
        "A new window is made as the anchor of the browser session",
        source: "Apple, ASWebAuthenticationPresentationContextProviding"
    ) { rule, project in
        project.sources.flatMap { source in
            source.lines(of: "ASPresentationAnchor").filter { source.codeLine($0).contains("ASPresentationAnchor()") }
                .map {
                    rule.finding(
                        Finding.Place(file: source.path, line: $0, key: "ASPresentationAnchor()"),
                        "A window that no scene has shows no sheet; iOS 26 deprecates making one. Give a window of the scene in front.",
                        now: "ASPresentationAnchor()"
                    )
                }
        }
    }

    private static let embeddedWebView = Rule(
        "embedded-web-view",
        .warning,
        "The app's own web view presents the sign-in page",
        source: Document.externalAgent
    ) { rule, project in
        project.sources.filter { $0.uses("WKWebView") }.compactMap { source in
            let signsIn = source.literals.contains { literal in
                ["/authorize", "/oauth", "/oidc/auth", "/login"].contains { literal.text.lowercased().contains($0) }
                    || source.name(of: literal).map(RedirectInUse.isName) ?? false
            }
            guard signsIn, let line = source.lines(of: "WKWebView").first else { return nil }
            return rule.finding(
                Finding.Place(file: source.path, line: line, key: "WKWebView"),
                "The app could read the password, there is no single sign-on, no passkey, and some providers refuse it.",
                fix: "ASWebAuthenticationSession"
            )
        }
    }
}
