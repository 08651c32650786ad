package import OstiaryJOSE

/// The findings of a project, as text for the user and as an object for programs.
package struct ProjectReport: Sendable {
    package let findings: [Finding]
    private let apps: [AppTarget]
    private let redirects: [RedirectInUse]
    private let systems: [KnownSystem]

    package init(on project: Project) {
        findings = project.findings
        apps = project.targets
        redirects = project.redirects
        systems = project.systems
    }

    package func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

    /// The number of findings of each severity, in words.
    package var summary: String {
        guard !findings.isEmpty else { return "Nothing is wrong." }
        return Finding.Severity.allCases.map { severity in
            let count = count(severity)
            return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }
}

extension ProjectReport {
    /// The lines for the user, in a linter's format; no character is escaped.
    package var lines: [String] {
        var lines = apps.map { app in
            let identity = app.appID ?? app.bundleID
            return "\(app.isApplication ? "app" : "extension") \(app.name)" + (identity.map { " (\($0))" } ?? "")
        }
        lines += systems.map { "system \($0.title)" }
        lines += redirects.map { redirect in
            "redirect URI \(redirect.shown)" + (redirect.place.file == nil ? "" : " (\(redirect.place.position))")
        }
        for finding in findings { lines += [""] + finding.lines }
        return lines + (lines.isEmpty ? [] : [""]) + [summary + (findings.isEmpty ? "" : ".")]
    }
}

extension Finding {
    fileprivate var lines: [String] {
        let key = place.key.map { " \($0):" } ?? ""
        var lines = ["\(place.position): \(severity.rawValue):\(key) \(message) [\(rule)]"]
        if let now { lines.append("  now: " + now) }
        if let fix {
            let text = fix.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            lines += text.count == 1 ? ["  fix: " + text[0]] : ["  fix:"] + text.map { "    " + $0 }
        }
        return lines + ["  see: " + source]
    }
}

extension Finding.Place {
    /// The file and the line; `project` for a finding without a file.
    fileprivate var position: String { (file ?? "project") + (line.map { ":\($0)" } ?? "") }
}

extension ProjectReport {
    /// The members of the output for programs, as `docs/doctor.schema.json` describes them.
    package var members: JSONObject {
        var counts = JSONObject()
        for severity in Finding.Severity.allCases { counts[severity.rawValue + "s"] = .integer(count(severity)) }
        return [
            "schema": 1,
            "counts": .object(counts),
            "apps": .array(apps.map { .object($0.object) }),
            "systems": .array(systems.map { .string($0.name) }),
            "redirectURIs": .array(redirects.map { .object($0.object) }),
            "findings": .array(findings.map { .object($0.object) }),
        ]
    }
}

extension Finding {
    fileprivate var object: JSONObject {
        [
            "rule": .string(rule),
            "severity": .string(severity.rawValue),
            "file": place.file.json,
            "line": place.line.map { .integer($0) } ?? .null,
            "key": place.key.json,
            "message": .string(message),
            "now": now.json,
            "fix": fix.json,
            "source": .string(source),
        ]
    }
}

extension AppTarget {
    fileprivate var object: JSONObject {
        [
            "name": .string(name),
            "kind": .string(isApplication ? "application" : "extension"),
            "platforms": .array(Platform.allCases.filter(platforms.contains).map { .string($0.rawValue) }),
            "team": team.json,
            "bundleID": bundleID.json,
            "infoPlist": (info?.path).json,
            "entitlements": (entitlements?.path).json,
        ]
    }
}

extension RedirectInUse {
    fileprivate var object: JSONObject {
        ["uri": .string(shown), "file": place.file.json, "line": place.line.map { .integer($0) } ?? .null]
    }
}

extension String? {
    fileprivate var json: JSONValue { map { .string($0) } ?? .null }
}
