/// The systems that the app runs on.
extension Rule {
    static let platforms = [deploymentTarget, httpsCallbackTarget]

    private static let deploymentTarget = Rule(
        "deployment-target",
        .problem,
        "The deployment target is older than Ostiary's: iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1",
        source: "Ostiary, Package.swift"
    ) { rule, project in
        guard project.imports.contains(where: { $0.hasPrefix("Ostiary") }) else { return [] }
        return project.olderTargets(than: [
            .iOS: "16.0", .macOS: "13.0", .tvOS: "16.0", .watchOS: "9.0", .visionOS: "1.0",
        ])
        .map { target, place, now, least in
            rule.finding(
                place,
                "\(target.name) does not build with Ostiary.",
                now: now,
                fix: "\(place.key ?? "") = \(least);"
            )
        }
    }

    private static let httpsCallbackTarget = Rule(
        "https-callback-target",
        .warning,
        "An https redirect URI in an app for systems that do not end a browser session with one",
        source: Document.httpsCallback
    ) { rule, project in
        guard project.redirects.contains(where: \.isHTTPS) else { return [] }
        return project.olderTargets(than: [.iOS: "17.4", .macOS: "14.4", .visionOS: "1.1"]).map {
            target,
            place,
            now,
            least in
            rule.finding(
                place,
                "Before \(least) the sheet receives no https redirect in \(target.name): users of older systems cannot sign in.",
                now: now,
                fix: "\(place.key ?? "") = \(least);"
            )
        }
    }
}

extension Project {
    /// The apps whose deployment target is older than a version.
    fileprivate func olderTargets(
        than versions: [Platform: String]
    ) -> [(target: AppTarget, place: Finding.Place, now: String, least: String)] {
        targets.flatMap { target in
            Platform.allCases.filter(target.platforms.contains).compactMap { platform in
                guard let least = versions[platform], let setting = target.settings[platform.deploymentSetting],
                    case let now = target.settings.value(of: setting.value), now.isOlder(than: least)
                else { return nil }
                let place = Finding.Place(file: setting.file, line: setting.line, key: platform.deploymentSetting)
                return (target, place, now, least)
            }
        }
    }
}

extension String {
    /// Compares versions part by part; a text that is not a version is not older.
    func isOlder(than other: String) -> Bool {
        let parts = split(separator: ".").map { Int($0) }
        let others = other.split(separator: ".").map { Int($0) ?? 0 }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil }) else { return false }
        for index in 0..<max(parts.count, others.count) {
            let (own, its) = (index < parts.count ? parts[index] ?? 0 : 0, index < others.count ? others[index] : 0)
            if own != its { return own < its }
        }
        return false
    }
}
