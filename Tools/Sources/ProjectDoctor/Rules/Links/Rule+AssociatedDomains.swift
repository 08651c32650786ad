/// The Associated Domains entitlement.
extension Rule {
    static let associatedDomains = [
        credentialsMissing, linksMissing, linksOfProvider, domainForm, domainMode, domainWildcard,
    ]

    private static let credentialsMissing = Rule(
        "webcredentials-missing",
        .problem,
        "An https redirect URI without `webcredentials:` for its host",
        source: Document.httpsCallback
    ) { rule, project in
        project.apps.flatMap { app in
            project.redirects(of: app).filter { $0.isHTTPS && !project.providerHosts.contains($0.host) }.map(\.host)
                .uniqued
                .filter { host in !app.associatedDomains.contains { $0.service == "webcredentials" && $0.covers(host) }
                }
                .map { host in
                    let hasLinks = app.associatedDomains.contains { $0.service == "applinks" && $0.covers(host) }
                    return rule.finding(
                        app.domainsPlace,
                        "The browser session ends at once, as if it were cancelled: it takes an https callback only for a "
                            + "host under webcredentials." + (hasLinks ? " The applinks line is not enough." : ""),
                        now: app.domainsText,
                        fix: app.fix(adding: "webcredentials:\(host)")
                    )
                }
        }
    }

    private static let linksMissing = Rule(
        "applinks-missing",
        .warning,
        "An https redirect URI that comes back from another app, without `applinks:` for its host",
        source: Document.associatedDomains
    ) { rule, project in
        guard project.systems.contains(where: \.returnsThroughApp) || project.codeUses("AppHandoff") else { return [] }
        return project.apps.flatMap { app in
            project.redirects(of: app).filter { $0.isHTTPS && !project.providerHosts.contains($0.host) }.map(\.host)
                .uniqued
                .filter { host in !app.associatedDomains.contains { $0.service == "applinks" && $0.covers(host) } }
                .map { host in
                    rule.finding(
                        app.domainsPlace,
                        "When the provider's app returns, the redirect opens in the browser and not in this app.",
                        now: app.domainsText,
                        fix: app.fix(adding: "applinks:\(host)")
                    )
                }
        }
    }

    private static let linksOfProvider = Rule(
        "applinks-of-provider",
        .problem,
        "`applinks:` claims the provider's own host, which swallows its sign-in page",
        source: "logi, iOS (Swift): Troubleshooting"
    ) { rule, project in
        let hosts = project.providerHosts.union(KnownSystem.all.flatMap(\.hosts)).sorted()
        return project.targets.flatMap(\.associatedDomains).filter { $0.service == "applinks" }.compactMap { domain in
            guard let host = hosts.first(where: domain.covers) else { return nil }
            return rule.finding(
                domain.place,
                "\(host) is the provider's: its sign-in page would open in this app, which then finds no code in it "
                    + "(a spurious missingCode). Claim hosts of your own only.",
                now: domain.text,
                fix: "Remove the line."
            )
        }
    }

    private static let domainForm = Rule(
        "associated-domain-form",
        .problem,
        "A line of the entitlement is not `service:host`: with a scheme, a path, a port, an unknown service",
        source: Document.associatedDomainsEntitlement
    ) { rule, project in
        project.targets.flatMap(\.associatedDomains).filter { !$0.isWellFormed && !$0.text.contains("$(") }.map {
            domain in
            rule.finding(
                domain.place,
                "The system ignores it: it wants a service, a colon and a whole host name, with no scheme, port, path or slash.",
                now: domain.text,
                fix: domain.repaired.map { "<string>\($0)</string>" }
            )
        }
    }

    private static let domainMode = Rule(
        "associated-domain-mode",
        .problem,
        "`?mode=developer` is left in the entitlement of a release",
        source: Document.associatedDomainsEntitlement
    ) { rule, project in
        project.targets.flatMap(\.associatedDomains).filter { $0.mode?.contains("developer") == true }.map { domain in
            rule.finding(
                domain.place,
                "This line works only in an app signed for development: an app from a store has no association.",
                now: domain.text,
                fix: "<string>\(domain.service):\(domain.host)</string>"
            )
        }
    }

    private static let domainWildcard = Rule(
        "associated-domain-wildcard",
        .note,
        "A wildcard stands for the hosts below a domain, not for the domain itself",
        source: Document.associatedDomainsEntitlement
    ) { rule, project in
        project.targets.flatMap(\.associatedDomains).filter { $0.isWellFormed && $0.host.hasPrefix("*.") }.map {
            domain in
            rule.finding(
                domain.place,
                "\(domain.host.dropFirst(2)) itself needs a line of its own, and has to serve the association file for "
                    + "the hosts below it.",
                now: domain.text
            )
        }
    }
}

extension AppTarget {
    fileprivate var domainsPlace: Finding.Place {
        entitlement(AssociatedDomain.entitlement)?.place ?? entitlementPlace(for: AssociatedDomain.entitlement)
    }

    fileprivate var domainsText: String? {
        associatedDomains.isEmpty ? nil : associatedDomains.map(\.text).joined(separator: " ")
    }

    /// Returns the text to paste: the line, or the whole entitlement where there is none.
    fileprivate func fix(adding line: String) -> String {
        if entitlement(AssociatedDomain.entitlement) != nil { return "<string>\(line)</string>" }
        let member = "<key>\(AssociatedDomain.entitlement)</key>\n<array>\n    <string>\(line)</string>\n</array>"
        guard entitlements == nil else { return member }
        return member + "\nin a file that the build setting CODE_SIGN_ENTITLEMENTS names"
    }
}

extension AssociatedDomain {
    /// The line that was probably intended; `nil` when it is unclear.
    fileprivate var repaired: String? {
        var rest = text.contains(":") ? String(text.dropFirst(service.count + 1)) : text
        for scheme in ["https://", "http://", "//"] where rest.hasPrefix(scheme) {
            rest = String(rest.dropFirst(scheme.count))
        }
        let host = rest.prefix { !"/:?".contains($0) }.lowercased()
        let names = ["applinks": "applinks", "applink": "applinks", "webcredential": "webcredentials"]
        guard !host.isEmpty, let name = Self.services.contains(service) ? service : names[service.lowercased()] else {
            return nil
        }
        return name + ":" + host
    }
}
