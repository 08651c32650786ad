/// The rules for unreadable files and missing facts.
extension Rule {
    static let reading = [
        listUnreadable, fileSkipped, buildSettingFile, entitlementsUnused, noApp, noRedirect, uncertainRedirect,
    ]

    private static let listUnreadable = Rule(
        "list-unreadable",
        .problem,
        "A property list or a project file cannot be read",
        source: "Apple, Property List Programming Guide"
    ) { rule, project in
        project.unreadable.map { path, error in
            rule.finding(
                Finding.Place(file: path, line: error.line),
                "The file \(error.reason.rawValue); nothing in it was looked at."
            )
        }
    }

    private static let fileSkipped = Rule(
        "file-skipped",
        .note,
        "A file was left out: too large, too many, a link",
        source: "The limits of ostiary doctor"
    ) { rule, project in
        project.files.skipped.map { rule.finding(Finding.Place(file: $0.path), "Not read. " + $0.reason.sentence) }
    }

    private static let buildSettingFile = Rule(
        "build-setting-file",
        .problem,
        "A build setting names an Info.plist or an entitlements file that does not exist",
        source: "Apple, Build settings reference: INFOPLIST_FILE, CODE_SIGN_ENTITLEMENTS"
    ) { rule, project in
        project.targets.flatMap { target in
            target.lost.map { setting in
                rule.finding(
                    Finding.Place(file: setting.file, line: setting.line),
                    "The target \(target.name) takes a file that is not in the project.",
                    now: setting.value
                )
            }
        }
    }

    private static let entitlementsUnused = Rule(
        "entitlements-unused",
        .warning,
        "An app names no entitlements, and no target uses the entitlements file that exists",
        source: "Apple, Build settings reference: CODE_SIGN_ENTITLEMENTS"
    ) { rule, project in
        let taken = Set(project.everyTarget.compactMap { $0.entitlements?.path })
        let spare = project.lists.map(\.path).filter { $0.hasSuffix(".entitlements") && !taken.contains($0) }
        return project.apps.filter { $0.entitlements == nil && $0.settings["CODE_SIGN_ENTITLEMENTS"] == nil }.compactMap
        { app in
            guard app.projectPlace.file?.hasSuffix(".pbxproj") == true,
                let file = spare.first(where: { $0.fileName == app.name + ".entitlements" }) ?? spare.first
            else { return nil }
            return rule.finding(
                app.projectPlace,
                "\(app.name) is signed without entitlements: nothing in \(file) holds for it.",
                fix: "CODE_SIGN_ENTITLEMENTS = \(file);"
            )
        }
    }

    private static let noApp = Rule(
        "no-app",
        .warning,
        "No app is found: no Xcode target, no Info.plist, no entitlements",
        source: "Apple, Bundle Resources"
    ) { rule, project in
        guard !project.targets.contains(where: \.isApplication), project.unreadable.isEmpty else { return [] }
        return [
            rule.finding(
                Finding.Place(),
                "Neither an application target nor an Info.plist was found, so what an app registers is not known.",
                fix: "Give the folder that holds the .xcodeproj."
            )
        ]
    }

    private static let noRedirect = Rule(
        "redirect-unknown",
        .warning,
        "No redirect URI is given, and none stands in the sources",
        source: "RFC 6749 section 3.1.2"
    ) { rule, project in
        guard project.redirects.isEmpty, project.uncertainRedirects.isEmpty else { return [] }
        return [
            rule.finding(
                Finding.Place(),
                "Which redirect URI is in use is not known; what depends on it was not looked at.",
                fix: "--redirect-uri com.example.app://callback"
            )
        ]
    }

    private static let uncertainRedirect = Rule(
        "redirect-uncertain",
        .note,
        "A redirect URI is built at run time",
        source: "RFC 6749 section 3.1.2"
    ) { rule, project in
        project.uncertainRedirects.map {
            rule.finding(
                $0,
                "This redirect URI is known only when the app runs; give it to have it looked at.",
                fix: "--redirect-uri com.example.app://callback"
            )
        }
    }
}
