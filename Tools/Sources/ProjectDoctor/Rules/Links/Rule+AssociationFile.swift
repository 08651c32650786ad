import OstiaryJOSE

/// The Apple App Site Association file of the host that the redirect URI is on.
extension Rule {
    static let associationFile = [
        associationUnknown, associationTransport, associationHost, associationSize, associationForm, appIDUnknown,
        associationCredentials, associationLinks, associationPath, associationAppID, associationComponent,
        associationOld,
    ]

    private static let associationUnknown = Rule(
        "association-unknown",
        .note,
        "An https redirect URI, and no association file was given",
        source: Document.associatedDomains
    ) { rule, project in
        guard project.context.association == nil else { return [] }
        return project.redirects.filter { $0.isHTTPS && !$0.host.isEmpty }.map(\.host).uniqued.map { host in
            rule.finding(
                Finding.Place(key: "--association"),
                "Whether \(host) names the app was not looked at. No request is made unless the URL is given.",
                fix: "--association \(AssociationFile.url(for: host))"
            )
        }
    }

    private static let associationTransport = Rule(
        "association-transport",
        .problem,
        "The association file is not served as Apple fetches it: 200, without a redirect, from its own path",
        source: Document.universalLinks
    ) { rule, project in
        guard let file = project.context.association, case .fetched(let url, let status, let mediaType) = file.origin
        else { return [] }
        let address = RedirectInUse(url)
        var findings: [Finding] = []
        func add(_ message: String, now: String, fix: String? = nil, severity: Finding.Severity? = nil) {
            findings.append(rule.finding(Finding.Place(file: url), message, now: now, fix: fix, severity: severity))
        }
        if status == nil {
            add("Apple fetches the file over https only; no request was made.", now: url, fix: "https:" + address.rest)
        } else if let status, (300..<400).contains(status) {
            add("A redirect is not followed: the file has to be at this very address.", now: "status \(status)")
        } else if let status, status != 200 {
            add("The host has no association file here.", now: "status \(status)")
        } else if mediaType != "application/json" {
            add(
                "Older systems take the file as application/json only.",
                now: mediaType ?? "no content type",
                fix: "Content-Type: application/json",
                severity: .warning
            )
        }
        if !["/.well-known/apple-app-site-association", "/apple-app-site-association"].contains(address.path) {
            add(
                "Apple requests one URL, without .json at its end.",
                now: address.path,
                fix: AssociationFile.url(for: address.host)
            )
        }
        return findings
    }

    private static let associationHost = Rule(
        "association-host",
        .problem,
        "The association file is from another host than the redirect URI",
        source: Document.associatedDomains
    ) { rule, project in
        guard let file = project.context.association, case .fetched(let url, _, _) = file.origin,
            case let address = RedirectInUse(url), !address.isLoopback
        else { return [] }
        let hosts = project.redirects.filter(\.isHTTPS).map(\.host).uniqued
        guard !hosts.isEmpty, !hosts.contains(address.host) else { return [] }
        return [
            rule.finding(
                Finding.Place(file: url),
                "Each host has a file of its own, with or without www.",
                now: address.host,
                fix: "--association \(AssociationFile.url(for: hosts[0]))"
            )
        ]
    }

    private static let associationSize = Rule(
        "association-size",
        .problem,
        "The association file is larger than 128 KB",
        source: Document.associationSize
    ) { rule, project in
        guard let file = project.context.association, (file.bytes?.count ?? .max) > AssociationFile.maximumBytes else {
            return []
        }
        return [
            rule.finding(
                Finding.Place(file: file.name),
                "Apple's systems take no file of more than 128 KB.",
                now: file.bytes.map { "\($0.count) bytes" },
                fix: "Write patterns with * in place of single paths."
            )
        ]
    }

    private static let associationForm = Rule(
        "association-form",
        .problem,
        "The association file is not one JSON object of the form that Apple gives",
        source: Document.associatedDomains
    ) { rule, project in
        guard let file = project.context.association, file.isWorthReading else { return [] }
        do throws(JSONError) {
            let object = try file.content().object
            let links = object["applinks"]
            let credentials = object["webcredentials"]
            let isWhole =
                (links == nil || links?.object != nil)
                && (credentials == nil || credentials?.object?["apps"]?.array != nil)
                && (links != nil || credentials != nil)
            guard !isWhole else { return [] }
            return [
                rule.finding(
                    Finding.Place(file: file.name),
                    "The file has neither an applinks object nor a webcredentials object with an array apps.",
                    now: object.names.joined(separator: " "),
                    fix: #"{"webcredentials": {"apps": ["TEAMID.com.example.app"]}}"#
                )
            ]
        } catch {
            return [
                rule.finding(
                    Finding.Place(file: file.name),
                    "The file is not one JSON object in UTF-8 whose names occur once, so its meaning is undefined."
                )
            ]
        }
    }

    private static let appIDUnknown = Rule(
        "app-id-unknown",
        .note,
        "The team or the bundle identifier is not known, so the association file cannot be compared",
        source: Document.associatedDomains
    ) { rule, project in
        guard project.context.association != nil else { return [] }
        return project.apps.filter { $0.appID == nil }.map { app in
            rule.finding(
                app.projectPlace,
                "\(app.name): the \(app.team == nil ? "team" : "bundle identifier") is set when the app is built.",
                fix: app.team == nil ? "--team ABCDE12345" : "--bundle-id com.example.app"
            )
        }
    }

    private static let associationCredentials = Rule(
        "association-webcredentials",
        .problem,
        "`webcredentials.apps` of the association file does not name the app",
        source: Document.httpsCallback
    ) { rule, project in
        project.associated.filter { _, appID, file in !(file.credentialApps ?? []).contains(appID) }.map {
            _,
            appID,
            file in
            rule.finding(
                Finding.Place(file: project.context.association?.name, key: "webcredentials.apps"),
                "The host does not say that \(appID) may end a browser session with its URLs.",
                now: file.credentialApps?.joined(separator: " "),
                fix: file.credentialApps == nil ? #""webcredentials": {"apps": ["\#(appID)"]}"# : "\"\(appID)\""
            )
        }
    }

    private static let associationLinks = Rule(
        "association-applinks",
        .problem,
        "The app claims `applinks:` for the host, and `applinks.details` does not name the app",
        source: Document.associatedDomains
    ) { rule, project in
        project.linked.filter { _, appID, file in !file.details.contains { $0.appIDs.contains(appID) } }.map {
            redirect,
            appID,
            file in
            rule.finding(
                Finding.Place(file: project.context.association?.name, key: "applinks.details"),
                "The host does not say that \(appID) may open its links.",
                now: file.details.flatMap(\.appIDs).uniqued.joined(separator: " "),
                fix: #"{"appIDs": ["\#(appID)"], "components": [{"/": "\#(redirect.path)"}]}"#
            )
        }
    }

    private static let associationPath = Rule(
        "association-path",
        .problem,
        "No pattern of the app in `applinks.details` matches the redirect URI, or one excludes it",
        source: Document.components
    ) { rule, project in
        project.linked.compactMap { redirect, appID, file in
            let details = file.details.filter { $0.appIDs.contains(appID) }
            guard let first = details.first, !details.contains(where: { $0.opens(redirect) }) else { return nil }
            return rule.finding(
                Finding.Place(
                    file: project.context.association?.name,
                    key: first.path + (first.isOld ? ".paths" : ".components")
                ),
                "The redirect URI does not open the app: the first pattern that matches decides, and \(redirect.path) "
                    + "has none or one that excludes it.",
                now: first.patterns.map { ($0.excludes ? "NOT " : "") + $0.path }.joined(separator: " "),
                fix: first.isOld ? "\"\(redirect.path)\"" : #"{"/": "\#(redirect.path)"}"#
            )
        }
    }

    private static let associationAppID = Rule(
        "association-app-id",
        .problem,
        "An app identifier in the association file has no team before the bundle identifier",
        source: Document.associatedDomains
    ) { rule, project in
        guard let file = project.context.association, let content = try? file.content() else { return [] }
        return content.appIDs.filter { !$0.text.isAppID }.map { entry in
            let team = project.apps.lazy.compactMap(\.team).first ?? "ABCDE12345"
            return rule.finding(
                Finding.Place(file: file.name, key: entry.key),
                "An app identifier is the team's identifier, ten capital letters and digits, a dot, and the bundle identifier.",
                now: entry.text,
                fix: "\"\(team).\(entry.text)\""
            )
        }
    }

    private static let associationComponent = Rule(
        "association-component",
        .warning,
        "A path pattern matches no path: it lacks the first slash, or has a query or a fragment",
        source: Document.components
    ) { rule, project in
        guard let file = project.context.association, let content = try? file.content() else { return [] }
        return content.details.flatMap { detail in
            detail.patterns.filter { $0.path.isHopelessPath }.map { pattern in
                rule.finding(
                    Finding.Place(file: file.name, key: detail.path + (detail.isOld ? ".paths" : ".components")),
                    "A path begins with a slash; what follows # is matched by its own member \"#\".",
                    now: pattern.path,
                    fix: pattern.path.contains("#") ? nil : "\"/\(pattern.path)\""
                )
            }
        }
    }

    private static let associationOld = Rule(
        "association-old",
        .note,
        "The association file is written in the form before iOS 13",
        source: Document.components
    ) { rule, project in
        guard let file = project.context.association, let content = try? file.content() else { return [] }
        return content.details.filter(\.isOld).map { detail in
            rule.finding(
                Finding.Place(file: file.name, key: detail.path + ".paths"),
                "paths still works; components can match queries and fragments and is what newer systems read first.",
                fix: #""components": [{"/": "/callback"}]"#
            )
        }
    }
}

extension AssociationFile {
    /// Whether there are bytes to read: fetched well, and no more than Apple takes.
    fileprivate var isWorthReading: Bool {
        guard let bytes, bytes.count <= Self.maximumBytes else { return false }
        if case .fetched(_, let status, _) = origin { return status == 200 }
        return true
    }
}

extension Project {
    fileprivate typealias Association = (redirect: RedirectInUse, appID: String, file: AssociationContent)

    /// Each app with each https redirect URI of its that the file is about.
    fileprivate var associated: [Association] {
        guard let association = context.association, association.isWorthReading, let file = try? association.content()
        else { return [] }
        return apps.flatMap { app -> [Association] in
            guard let appID = app.appID else { return [] }
            return redirects(of: app).filter { $0.isHTTPS && association.isAbout($0.host) }.map { ($0, appID, file) }
        }
    }

    /// Those of them that the app claims as links.
    fileprivate var linked: [Association] {
        associated.filter { entry in
            apps.contains { app in
                app.appID == entry.appID
                    && app.associatedDomains.contains { $0.service == "applinks" && $0.covers(entry.redirect.host) }
            }
        }
    }
}

extension AssociationFile {
    /// Whether it speaks for a host: a file that was fetched for its own, one of the disk or of this machine for any.
    fileprivate func isAbout(_ host: String) -> Bool {
        guard case .fetched(let url, _, _) = origin, case let address = RedirectInUse(url), !address.isLoopback else {
            return true
        }
        return address.host.isSame(as: host)
    }
}

extension String {
    /// Whether it is a team's identifier, a dot and a bundle identifier.
    fileprivate var isAppID: Bool {
        let prefix = prefix { $0 != "." }
        let isPrefix =
            prefix.utf8.count == 10 && prefix.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0) }
        return isPrefix && utf8.count > 11
    }

    fileprivate var isHopelessPath: Bool {
        !isEmpty && !hasPrefix("/") && !hasPrefix("*") && !hasPrefix("?") && !hasPrefix("$(") || contains("#")
    }
}
