/// App Transport Security, and where the provider is.
extension Rule {
    static let network = [arbitraryLoads, providerException, loopbackLoads, issuerHTTP, issuerOfDevelopment]

    private static let arbitraryLoads = Rule(
        "ats-arbitrary-loads",
        .warning,
        "`NSAllowsArbitraryLoads` is on: the app may use http with any host",
        source: Document.transport
    ) { rule, project in
        project.targets.compactMap { target in
            guard let security = target.info("NSAppTransportSecurity"),
                let member = security.value.member("NSAllowsArbitraryLoads"), member.value.isTrue
            else { return nil }
            var place = security.place
            place.line = member.line
            place.key = "NSAppTransportSecurity.NSAllowsArbitraryLoads"
            return rule.finding(
                place,
                "A sign-in needs no exception: providers are https. With this on, a mistyped http address goes out in clear.",
                now: "true",
                fix: "Remove the line; for development allow NSAllowsLocalNetworking alone."
            )
        }
    }

    private static let providerException = Rule(
        "ats-provider-exception",
        .problem,
        "An exception of App Transport Security weakens the connection to the provider",
        source: Document.transport
    ) { rule, project in
        project.targets.flatMap { target -> [Finding] in
            guard let security = target.info("NSAppTransportSecurity") else { return [] }
            return (security.value["NSExceptionDomains"]?.members ?? []).flatMap { domain -> [Finding] in
                let host = domain.key.lowercased()
                let includesBelow = domain.value["NSIncludesSubdomains"]?.isTrue ?? false
                let isProvider = project.providerHosts.contains {
                    $0.isSame(as: host) || includesBelow && $0.hasSuffix("." + host)
                }
                guard isProvider else { return [] }
                return domain.value.members.filter(\.weakens).map { member in
                    rule.finding(
                        Finding.Place(
                            file: security.place.file,
                            line: member.line,
                            key: "NSAppTransportSecurity.NSExceptionDomains.\(domain.key).\(member.key)"
                        ),
                        "Tokens of \(domain.key) would travel over a connection that others can read.",
                        now: member.value.string ?? (member.value.isTrue ? "true" : "false"),
                        fix: "Remove the line."
                    )
                }
            }
        }
    }

    private static let loopbackLoads = Rule(
        "ats-loopback",
        .note,
        "An http issuer on this machine, and the app does not allow local networking",
        source: "Apple, NSAllowsLocalNetworking"
    ) { rule, project in
        let isLocal = project.sources.flatMap(\.providers).contains { $0.url.isHTTP && $0.url.host.isLocal }
        guard isLocal else { return [] }
        return project.apps.compactMap { app in
            let security = app.info("NSAppTransportSecurity")
            guard !(security?.value["NSAllowsLocalNetworking"]?.isTrue ?? false),
                !(security?.value["NSAllowsArbitraryLoads"]?.isTrue ?? false)
            else { return nil }
            return rule.finding(
                security?.place ?? app.infoPlace(for: "NSAppTransportSecurity"),
                "To reach a development provider by its address, the app has to allow local networking; leave it out of a release.",
                fix:
                    "<key>NSAppTransportSecurity</key>\n<dict>\n    <key>NSAllowsLocalNetworking</key>\n    <true/>\n</dict>"
            )
        }
    }

    private static let issuerHTTP = Rule(
        "issuer-http",
        .problem,
        "The provider is named by an http address that is not on this machine",
        source: "RFC 8414 section 2; RFC 6749 section 3.1"
    ) { rule, project in
        project.sources.flatMap(\.providersAndSites).filter { $0.url.isHTTP && !$0.url.host.isLocal }.map { provider in
            rule.finding(
                provider.place,
                "Every host on the way could read and change codes, tokens and keys.",
                now: provider.url.shown,
                fix: "https" + provider.url.shown.dropFirst(provider.url.scheme.count)
            )
        }
    }

    private static let issuerOfDevelopment = Rule(
        "issuer-of-development",
        .note,
        "The provider runs on a developer's machine: localhost, a tunnel",
        source: "Curity, Swift iOS App using AppAuth: Connectivity from Mobile Devices"
    ) { rule, project in
        let tunnels = ["ngrok.io", "ngrok.app", "ngrok-free.app", "trycloudflare.com", "loca.lt"]
        return project.sources.flatMap(\.providers).filter { provider in
            provider.url.host.isLocal || tunnels.contains { provider.url.host.hasSuffix("." + $0) }
        }.map { provider in
            rule.finding(
                provider.place,
                "A phone does not reach localhost of your computer, and a tunnel's name is reassigned in time.",
                now: provider.url.shown
            )
        }
    }
}

extension PropertyList.Member {
    /// Whether it makes a connection weaker than the system's own.
    fileprivate var weakens: Bool {
        switch key {
        case "NSExceptionAllowsInsecureHTTPLoads", "NSTemporaryExceptionAllowsInsecureHTTPLoads": value.isTrue
        case "NSExceptionMinimumTLSVersion": ["TLSv1.0", "TLSv1.1"].contains(value.string ?? "")
        case "NSExceptionRequiresForwardSecrecy": !value.isTrue
        default: false
        }
    }
}

extension String {
    /// Whether the host is this machine.
    var isLocal: Bool { ["localhost", "127.0.0.1", "[::1]", "["].contains(self) }
}
