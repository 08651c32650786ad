import OstiaryJOSE

/// The further requirements in the documents of the five systems.
extension Rule {
    static let systems = [issuerSpelling, exchangeInApp, ephemeralSession, logiVersion, logtoVersion]

    private static let issuerSpelling = Rule(
        "issuer-spelling",
        .problem,
        "The issuer of a known system is not written as the system writes it",
        source: "OpenID Connect Discovery section 4.3; RFC 9207 section 2.4"
    ) { rule, project in
        project.sources.flatMap(\.providers).compactMap { provider in
            let host = provider.url.host.hasPrefix("www.") ? String(provider.url.host.dropFirst(4)) : provider.url.host
            guard provider.place.key?.lowercased().hasPrefix("issuer") == true, provider.url.isHTTPS,
                let issuer = KnownSystem.all.lazy.compactMap(\.issuer).first(where: { RedirectInUse($0).host == host }),
                !provider.url.text.isSame(as: issuer)
            else { return nil }
            return rule.finding(
                provider.place,
                "Issuers are compared byte for byte: no www, no slash at the end, no path.",
                now: provider.url.shown,
                fix: "\"\(issuer)\""
            )
        }
    }

    private static let exchangeInApp = Rule(
        "exchange-in-app",
        .problem,
        "The app calls SSAFY Verify's token endpoint itself, which is for its backend",
        source: "SSAFY Verify, iOS Swift deep link: Common server token exchange contract"
    ) { rule, project in
        guard project.uses(.ssafy) || project.providerHosts.contains("verify.myknow.xyz") else { return [] }
        return project.sources.flatMap { source in
            source.literals.filter { $0.text.hasSuffix("/verify/token") }.map {
                rule.finding(
                    Finding.Place(file: source.path, line: $0.line),
                    "The app sends code and code verifier to its own backend, which exchanges them and checks the token.",
                    now: $0.text
                )
            }
        }
    }

    private static let ephemeralSession = Rule(
        "ephemeral-session",
        .warning,
        "An ephemeral browser session where the system needs the browser's: for single sign-on and for signing out",
        source: "Logto, Add authentication to your iOS (Swift) application; Curity, Swift iOS App using AppAuth"
    ) { rule, project in
        guard let system = project.systems.first(where: { $0 == .logto || $0 == .curity }) else { return [] }
        return project.places(of: "prefersEphemeralWebBrowserSession").filter { source, line in
            source.codeLine(line).hasWord("true")
        }.map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "prefersEphemeralWebBrowserSession"),
                system == .logto
                    ? "An ephemeral session has no cookie that a sign-out could end, and no silent sign-in."
                    : "Registering and the sign-in after it share the browser's session; an ephemeral one asks twice.",
                now: "true",
                fix: "false"
            )
        }
    }

    private static let logiVersion = Rule(
        "logi-version",
        .problem,
        "logi-auth-swift is older than 0.1.2, which takes another link of the app for the redirect",
        source: "logi, iOS (Swift): Troubleshooting"
    ) { rule, project in
        project.pins.filter { $0.location.contains("logi-auth-swift") && $0.version.isOlder(than: "0.1.2") }.map {
            rule.finding(
                $0.place,
                "Every URL that opens the app while a sign-in runs ends it with missingCode.",
                now: $0.version,
                fix: #".package(url: "https://github.com/dcode-co/logi-auth-swift.git", from: "0.2.0")"#
            )
        }
    }

    private static let logtoVersion = Rule(
        "logto-version",
        .warning,
        "Logto's SDK before version 2 signs in in the app's own web view",
        source: "Logto, Add authentication to your iOS (Swift) application; " + Document.externalAgent
    ) { rule, project in
        project.pins.filter { $0.location.contains("logto-io/swift") && $0.version.isOlder(than: "2") }.map {
            rule.finding(
                $0.place,
                "The app could read the password, and there are no passkeys; from 2 on it is the system's browser session.",
                now: $0.version,
                fix: #".package(url: "https://github.com/logto-io/swift.git", exact: "2.0.0-beta.1")"#
            )
        }
    }
}

/// The version of a package that a project builds with.
private typealias Pin = (location: String, version: String, place: Finding.Place)

extension Project {
    /// The versions in `Package.resolved`.
    fileprivate var pins: [Pin] {
        files.files.filter { $0.path.fileName == "Package.resolved" }.flatMap { file in
            let object = try? JSONObject(parsing: file.bytes, limits: JSONLimits(maximumBytes: 1_048_576))
            let pins = object?["pins"] ?? object?["object"]?.object?["pins"]
            return (pins?.array ?? []).enumerated().compactMap { index, pin -> Pin? in
                guard let pin = pin.object, let location = (pin["location"] ?? pin["repositoryURL"])?.string,
                    let version = pin["state"]?.object?["version"]?.string
                else { return nil }
                return (location, version, Finding.Place(file: file.path, key: "pins[\(index)].state.version"))
            }
        }
    }
}
