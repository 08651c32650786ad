import OstiaryOAuth

/// The redirect URIs themselves.
extension Rule {
    static let redirects = [
        redirectInvalid, redirectHTTP, redirectOneSlash, redirectOfProvider, redirectLoopback, redirectCustom,
    ]

    private static let redirectInvalid = Rule(
        "redirect-invalid",
        .problem,
        "A redirect URI is invalid: not absolute, with a fragment, or with a user name",
        source: "RFC 6749 section 3.1.2"
    ) { rule, project in
        project.redirects.compactMap { redirect in
            // Underscores and http have rules of their own.
            guard !redirect.scheme.contains("_"), !redirect.isHTTP else { return nil }
            do throws(SignInError) {
                _ = try RedirectURI(redirect.text)
                return nil
            } catch {
                return rule.finding(redirect.place, error.message, now: redirect.shown)
            }
        }
    }

    private static let redirectHTTP = Rule(
        "redirect-http",
        .problem,
        "A redirect URI is http and not on this machine",
        source: Document.loopback
    ) { rule, project in
        project.redirects.filter { $0.isHTTP && !$0.isLoopback }.map {
            rule.finding(
                $0.place,
                "Anyone on the network path can read the code in an http redirect. Use http for loopback addresses only.",
                now: $0.shown,
                fix: "https" + $0.shown.dropFirst($0.scheme.count)
            )
        }
    }

    private static let redirectOneSlash = Rule(
        "redirect-one-slash",
        .warning,
        "A redirect URI with a scheme of the app's own has no `//`, which iOS 26 does not deliver",
        source: "AppAuth-iOS issues 929 and 937"
    ) { rule, project in
        project.redirects.filter { $0.isCustom && !$0.rest.hasPrefix("//") }.map { redirect in
            let path = String(redirect.rest.drop { $0 == "/" })
            return rule.finding(
                redirect.place,
                "Since iOS 26 a sign-in with scheme:/path or scheme:path ends without a result. "
                    + "Register the form with two slashes at the provider as well.",
                now: redirect.shown,
                fix: "\(redirect.scheme)://\(path.isEmpty ? "callback" : path)"
            )
        }
    }

    private static let redirectOfProvider = Rule(
        "redirect-of-provider",
        .problem,
        "An https redirect URI is on the provider's own host",
        source: Document.claimedHTTPS
    ) { rule, project in
        project.redirects.filter { $0.isHTTPS && project.providerHosts.contains($0.host) }.map {
            rule.finding(
                $0.place,
                "The provider's host names no app of yours in its association file: take a host that you control.",
                now: $0.shown,
                fix: "https://app.example.com\($0.path)"
            )
        }
    }

    private static let redirectLoopback = Rule(
        "redirect-loopback",
        .warning,
        "A loopback redirect URI in an app for iOS, tvOS, watchOS or visionOS",
        source: "RFC 8252 appendix B.1"
    ) { rule, project in
        project.apps.filter { !$0.platforms.contains(.macOS) }.flatMap { app in
            project.redirects(of: app).filter(\.isLoopback).map {
                rule.finding(
                    $0.place,
                    "The system suspends the app, and with it what listens, while the browser is in front.",
                    now: $0.shown,
                    fix: "\(app.bundleID?.lowercased() ?? "com.example.app")://callback"
                )
            }
        }
    }

    private static let redirectCustom = Rule(
        "redirect-custom",
        .note,
        "A redirect URI with a scheme that any app can register, where https would be the app's alone",
        source: Document.claimedHTTPS
    ) { rule, project in
        // logi's document requires a scheme of the app's own.
        guard !project.uses(.logi) else { return [] }
        let isZephr = project.uses(.zephr)
        return project.redirects.filter(\.isCustom).map {
            rule.finding(
                $0.place,
                isZephr
                    ? "Zephr puts the session itself into this URL, and any app can register the scheme."
                    : "Any app can register this scheme; an https redirect that the app claims is its alone. "
                        + "PKCE keeps a code that another app gets from being used.",
                now: $0.shown,
                severity: isZephr ? .warning : .note
            )
        }
    }
}
