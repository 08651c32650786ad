/// The app's own URL schemes: how they are written, and where they are registered.
extension Rule {
    static let schemes = [
        schemeUnregistered, schemeUnderscore, schemeCharacters, schemeUpperCase, schemeIsURI, schemeReserved,
        schemeWithoutDot, schemeOfSample, schemeOfProvider, schemeShared, urlTypesForm,
    ]

    private static let schemeUnregistered = Rule(
        "scheme-unregistered",
        .problem,
        "The scheme of a redirect URI is not in `CFBundleURLTypes`",
        source: Document.customScheme
    ) { rule, project in
        // Only the browser session matches an unregistered scheme; another app or Safari does not.
        let isNeeded = !project.systems.isEmpty || project.takesURLs
        return project.apps.flatMap { app in
            let registered = Set(app.registeredSchemes.map { $0.text.lowercased() })
            let missing = project.redirects(of: app).filter { $0.isCustom }.map { $0.scheme.lowercased() }
                .filter { !registered.contains($0) && SchemeForm($0).isValid }
            return missing.uniqued.map { scheme in
                let existing = app.info("CFBundleURLTypes")
                return rule.finding(
                    existing?.place ?? app.infoPlace(for: "CFBundleURLTypes"),
                    isNeeded
                        ? "The scheme \(scheme) is not registered, so a redirect to it does not open the app."
                        : "The scheme \(scheme) is not registered. The browser session matches it all the same; "
                            + "a redirect from Safari or from another app does not arrive.",
                    now: existing.map { _ in app.registeredSchemes.map(\.text).joined(separator: " ") },
                    fix: existing == nil ? urlTypes(scheme) : urlType(scheme),
                    severity: isNeeded ? .problem : .warning
                )
            }
        }
    }

    private static func urlTypes(_ scheme: String) -> String {
        "<key>CFBundleURLTypes</key>\n<array>\n" + urlType(scheme) + "\n</array>"
    }

    private static func urlType(_ scheme: String) -> String {
        """
            <dict>
                <key>CFBundleURLSchemes</key>
                <array>
                    <string>\(scheme)</string>
                </array>
            </dict>
        """
    }

    private static let schemeUnderscore = Rule(
        "scheme-underscore",
        .problem,
        "A scheme has an underscore, which iOS refuses",
        source: Document.scheme
    ) { rule, project in
        project.schemesInUse.filter { $0.text.contains("_") }.map {
            rule.finding(
                $0.place,
                "A scheme has letters, digits, +, - and . only; iOS refuses one with an underscore.",
                now: $0.text,
                fix: String($0.text.map { $0 == "_" ? "-" : $0 })
            )
        }
    }

    private static let schemeCharacters = Rule(
        "scheme-characters",
        .problem,
        "A scheme has a character that no scheme has, or does not begin with a letter",
        source: Document.scheme
    ) { rule, project in
        project.schemesInUse.filter { !$0.text.contains("_") && !$0.text.contains(":") && !SchemeForm($0.text).isValid }
            .map {
                rule.finding(
                    $0.place,
                    "A scheme begins with a letter and has letters, digits, +, - and . only.",
                    now: $0.text,
                    fix: SchemeForm($0.text).repaired
                )
            }
    }

    private static let schemeUpperCase = Rule(
        "scheme-upper-case",
        .warning,
        "A scheme is not written in lower case",
        source: Document.scheme
    ) { rule, project in
        project.schemesInUse.filter { SchemeForm($0.text).isValid && $0.text != $0.text.lowercased() }.map {
            rule.finding(
                $0.place,
                "Schemes are compared without case by some and with it by others; providers compare the whole URI exactly.",
                now: $0.text,
                fix: $0.text.lowercased()
            )
        }
    }

    private static let schemeIsURI = Rule(
        "scheme-is-uri",
        .problem,
        "`CFBundleURLSchemes` holds a URI where only a scheme belongs",
        source: Document.customScheme
    ) { rule, project in
        project.targets.flatMap(\.registeredSchemes).filter { $0.text.contains(":") || $0.text.contains("/") }.map {
            rule.finding(
                $0.place,
                "Only the part before the colon is registered.",
                now: $0.text,
                fix: "<string>\($0.text.prefix { $0 != ":" && $0 != "/" })</string>"
            )
        }
    }

    private static let schemeReserved = Rule(
        "scheme-reserved",
        .problem,
        "An app registers a scheme that is not its own: http, mailto, tel and the like",
        source: Document.customScheme
    ) { rule, project in
        let reserved: Set<String> = [
            "http", "https", "file", "data", "javascript", "about", "blob", "mailto", "tel", "sms", "facetime",
        ]
        return project.targets.flatMap(\.registeredSchemes).filter { reserved.contains($0.text.lowercased()) }.map {
            rule.finding(
                $0.place,
                "The system keeps this scheme for itself; https links come through associated domains.",
                now: $0.text
            )
        }
    }

    private static let schemeWithoutDot = Rule(
        "scheme-without-dot",
        .warning,
        "The scheme of a redirect URI has no dot, so it belongs to no domain",
        source: Document.nativeScheme
    ) { rule, project in
        project.redirects.filter { $0.isCustom && !$0.scheme.contains(".") }.map { redirect in
            let bundleID = project.apps.lazy.compactMap(\.bundleID).first ?? "com.example.app"
            return rule.finding(
                redirect.place,
                "Another app may have the same scheme; one made of a domain name of yours is yours alone.",
                now: redirect.scheme,
                fix: bundleID.lowercased()
            )
        }
    }

    private static let schemeOfSample = Rule(
        "scheme-of-sample",
        .warning,
        "The scheme is the one of the vendor's sample, which other apps copied as well",
        source: Document.nativeScheme
    ) { rule, project in
        let samples = project.systems.isEmpty ? KnownSystem.all : project.systems
        return project.redirects.filter { redirect in
            redirect.isCustom && samples.contains { $0.sampleSchemes.contains(redirect.scheme.lowercased()) }
        }.map { redirect in
            rule.finding(
                redirect.place,
                "This scheme is in a public document, and other apps may have copied it: choose your own.",
                now: redirect.scheme,
                fix: project.apps.lazy.compactMap(\.bundleID).first?.lowercased() ?? "com.example.app"
            )
        }
    }

    private static let schemeOfProvider = Rule(
        "scheme-of-provider",
        .problem,
        "An app registers the scheme of the provider's own app",
        source: "logi, iOS (Swift): First-Try App-to-App"
    ) { rule, project in
        let schemes = Set(KnownSystem.all.compactMap(\.appScheme))
        return project.targets.flatMap(\.registeredSchemes).filter { schemes.contains($0.text.lowercased()) }.map {
            rule.finding(
                $0.place,
                "This scheme opens the provider's app: list it in LSApplicationQueriesSchemes, and never register it.",
                now: $0.text
            )
        }
    }

    private static let schemeShared = Rule(
        "scheme-shared",
        .warning,
        "Two apps register the same scheme; which one opens is not defined",
        source: Document.customScheme
    ) { rule, project in
        var owners: [String: (target: String, bundleID: String?)] = [:]
        var findings: [Finding] = []
        for app in project.apps {
            for scheme in app.registeredSchemes {
                let name = scheme.text.lowercased()
                if let owner = owners[name], owner.target != app.name, owner.bundleID != app.bundleID {
                    findings.append(
                        rule.finding(
                            scheme.place,
                            "\(owner.target) also registers this scheme. Where both are installed, either may get the code.",
                            now: scheme.text,
                            fix: app.bundleID?.lowercased()
                        )
                    )
                } else {
                    owners[name] = (app.name, app.bundleID)
                }
            }
        }
        return findings
    }

    private static let urlTypesForm = Rule(
        "url-types-form",
        .problem,
        "`CFBundleURLTypes` is not an array of dictionaries with `CFBundleURLSchemes`",
        source: Document.customScheme
    ) { rule, project in
        project.targets.compactMap { target in
            guard let types = target.info("CFBundleURLTypes") else { return nil }
            let elements = types.value.elements ?? []
            let isWhole =
                types.value.elements != nil
                && elements.allSatisfy { $0["CFBundleURLSchemes"]?.elements?.allSatisfy { $0.string != nil } ?? false }
            guard !isWhole else { return nil }
            return rule.finding(
                types.place,
                "The system reads an array of dictionaries, each with an array of strings.",
                fix: urlTypes(target.bundleID?.lowercased() ?? "com.example.app")
            )
        }
    }
}

/// The syntax of a scheme (RFC 3986 section 3.1).
struct SchemeForm {
    private let text: String

    init(_ text: String) { self.text = text }

    var isValid: Bool {
        text.utf8.first?.isLetter == true
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    /// The nearest scheme that is one; `nil` when nothing is left.
    var repaired: String? {
        let kept = text.unicodeScalars.map { $0.isASCII && SchemeForm("a\($0)").isValid ? Character($0) : "-" }
        let scheme = String(String(kept).drop { !$0.isLetter })
        return scheme.isEmpty ? nil : scheme.lowercased()
    }
}

extension Project {
    /// Every scheme that is registered or in a redirect URI, with its place.
    fileprivate var schemesInUse: [(text: String, place: Finding.Place)] {
        targets.flatMap(\.registeredSchemes) + redirects.filter(\.isCustom).map { ($0.scheme, $0.place) }
    }

    /// Whether the code takes URLs from the system.
    var takesURLs: Bool { codeUses("onOpenURL", "openURLContexts", "AppHandoff") }
}

extension [String] {
    /// Each once, in order.
    var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
