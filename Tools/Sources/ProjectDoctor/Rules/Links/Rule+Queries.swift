/// `LSApplicationQueriesSchemes`, and opening the provider's own app.
extension Rule {
    static let queries = [queryOfSystem, queryUndeclared, queryForm, queryCount, appFirst]

    private static let queryOfSystem = Rule(
        "query-of-system",
        .warning,
        "`LSApplicationQueriesSchemes` lacks what the vendor's document lists",
        source: "logi, iOS (Swift): Info.plist"
    ) { rule, project in
        project.systems.flatMap { system in
            project.apps.filter { $0.platforms.contains(.iOS) }.flatMap { app -> [Finding] in
                let present = app.queriedSchemes.map { $0.text.lowercased() }
                let missing = system.queriedSchemes.filter { !present.contains($0) }
                guard !missing.isEmpty else { return [] }
                let isAsked = project.codeUses("canOpenURL")
                let lines = missing.map { "<string>\($0)</string>" }.joined(separator: "\n")
                let existing = app.info("LSApplicationQueriesSchemes")
                return [
                    rule.finding(
                        existing?.place ?? app.infoPlace(for: "LSApplicationQueriesSchemes"),
                        isAsked
                            ? "canOpenURL answers no for a scheme that is not listed, so the provider's app is never entered."
                            : "\(system.title)'s document lists it. Opening a link with universalLinksOnly, as the SDK does, "
                                + "needs no entry; canOpenURL does.",
                        now: existing.map { _ in present.joined(separator: " ") },
                        fix: existing == nil
                            ? "<key>LSApplicationQueriesSchemes</key>\n<array>\n\(lines)\n</array>" : lines,
                        severity: isAsked ? .warning : .note
                    )
                ]
            }
        }
    }

    private static let queryUndeclared = Rule(
        "query-undeclared",
        .problem,
        "`canOpenURL` queries a scheme that `LSApplicationQueriesSchemes` does not list",
        source: Document.queries
    ) { rule, project in
        project.sources.flatMap { source in
            source.queriedSchemes.flatMap { scheme, line in
                project.apps.filter { $0.platforms.contains(.iOS) }.compactMap { app in
                    guard !app.queriedSchemes.contains(where: { $0.text.lowercased() == scheme }) else { return nil }
                    return rule.finding(
                        app.info("LSApplicationQueriesSchemes")?.place
                            ?? app.infoPlace(for: "LSApplicationQueriesSchemes"),
                        "\(source.path):\(line) asks whether \(scheme) can be opened; iOS denies that of every scheme "
                            + "that is not listed.",
                        now: app.queriedSchemes.isEmpty ? nil : app.queriedSchemes.map(\.text).joined(separator: " "),
                        fix: "<string>\(scheme)</string>"
                    )
                }
            }
        }
    }

    private static let queryForm = Rule(
        "query-form",
        .problem,
        "An entry of `LSApplicationQueriesSchemes` is not a scheme",
        source: Document.scheme
    ) { rule, project in
        project.targets.flatMap(\.queriedSchemes).filter { !SchemeForm($0.text).isValid }.map {
            rule.finding(
                $0.place,
                "Schemes are listed alone, without a colon, and have letters, digits, +, - and . only.",
                now: $0.text,
                fix: SchemeForm(String($0.text.prefix { $0 != ":" })).repaired.map { "<string>\($0)</string>" }
            )
        }
    }

    private static let queryCount = Rule(
        "query-count",
        .warning,
        "`LSApplicationQueriesSchemes` has more than 50 entries; the rest are not read",
        source: Document.queries
    ) { rule, project in
        project.targets.compactMap { target in
            guard let list = target.info("LSApplicationQueriesSchemes"), target.queriedSchemes.count > 50 else {
                return nil
            }
            return rule.finding(
                list.place,
                "For an app built for iOS 15 or later the system reads the first 50.",
                now: "\(target.queriedSchemes.count) entries"
            )
        }
    }

    private static let appFirst = Rule(
        "app-first-missing",
        .warning,
        "The browser session is used alone where the provider's app should be tried first",
        source: "logi, iOS (Swift): Troubleshooting"
    ) { rule, project in
        guard project.uses(.logi), project.imports.isDisjoint(with: KnownSystem.logi.modules),
            !project.codeUses("universalLinksOnly", "AppHandoff")
        else { return [] }
        return project.places(of: "ASWebAuthenticationSession").prefix(1).map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "ASWebAuthenticationSession"),
                "The provider's app is not entered although it is installed: a link opens it only straight from the app.",
                fix: "await UIApplication.shared.open(url, options: [.universalLinksOnly: true])"
            )
        }
    }
}

extension SwiftSource {
    /// The schemes that are passed to `canOpenURL` on its own line.
    fileprivate var queriedSchemes: [(scheme: String, line: Int)] {
        let asked = Set(lines(of: "canOpenURL"))
        return literals.filter { asked.contains($0.line) && $0.text.contains(":") }.map {
            (String($0.text.prefix { $0 != ":" }).lowercased(), $0.line)
        }.filter { !["http", "https"].contains($0.scheme) && SchemeForm($0.scheme).isValid }
    }
}
