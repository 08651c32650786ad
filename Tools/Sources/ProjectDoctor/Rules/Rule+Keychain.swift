/// The rules for storing tokens.
extension Rule {
    static let keychain = [
        keychainMigrates, keychainAlways, keychainForeground, keychainDefault, keychainSynchronizable, keychainTwice,
        keychainGroupUndeclared, keychainGroupPrefix, keychainGroupShared, appGroupForm, tokenInDefaults,
    ]

    private static let keychainMigrates = Rule(
        "keychain-migrates",
        .problem,
        "A keychain item without `ThisDeviceOnly` migrates to another device",
        source: Document.accessibility
    ) { rule, project in
        project.constants(["kSecAttrAccessibleAfterFirstUnlock", "kSecAttrAccessibleWhenUnlocked"]) { place, name in
            rule.finding(
                place,
                "The item is in backups and is copied to a new phone, where a token is used that was another device's.",
                now: name,
                fix: name + "ThisDeviceOnly"
            )
        }
    }

    private static let keychainAlways = Rule(
        "keychain-always",
        .problem,
        "A keychain item that is readable while the device is locked; deprecated since iOS 12",
        source: Document.accessibility
    ) { rule, project in
        project.constants(["kSecAttrAccessibleAlways", "kSecAttrAccessibleAlwaysThisDeviceOnly"]) { place, name in
            rule.finding(
                place,
                "Nothing protects the item before the first unlock; the constant is deprecated.",
                now: name,
                fix: "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
            )
        }
    }

    private static let keychainForeground = Rule(
        "keychain-foreground",
        .warning,
        "A keychain item that cannot be read in the background, so a refresh fails there",
        source: "logi, iOS (Swift): Troubleshooting"
    ) { rule, project in
        let names = ["kSecAttrAccessibleWhenUnlockedThisDeviceOnly", "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly"]
        return project.sources.flatMap { source in
            names.flatMap { name in
                // An item that the user's finger guards is meant to have this accessibility.
                source.lines(of: name).filter { !source.isAccessControl(near: $0) }.map { line in
                    rule.finding(
                        Finding.Place(file: source.path, line: line, key: name),
                        "While the device is locked the item is not there; a refresh in the background needs it.",
                        now: name,
                        fix: "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
                    )
                }
            }
        }
    }

    private static let keychainDefault = Rule(
        "keychain-default",
        .warning,
        "A keychain item is added without an accessibility: it migrates to other devices, and is unreadable while locked",
        source: Document.accessibility
    ) { rule, project in
        project.sources.filter { source in
            !source.words.keys.contains { $0.hasPrefix("kSecAttrAccess") && $0 != "kSecAttrAccessGroup" }
        }.flatMap { source in
            source.lines(of: "SecItemAdd").map { line in
                rule.finding(
                    Finding.Place(file: source.path, line: line, key: "SecItemAdd"),
                    "Without kSecAttrAccessible the item is readable while unlocked, and is copied to another device.",
                    fix: "kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,"
                )
            }
        }
    }

    private static let keychainSynchronizable = Rule(
        "keychain-synchronizable",
        .problem,
        "A keychain item is put into iCloud",
        source: "Apple, kSecAttrSynchronizable"
    ) { rule, project in
        project.sources.flatMap { source in
            source.lines(of: "kSecAttrSynchronizable").filter { line in
                let code = source.codeLine(line)
                return code.hasWord("true") || code.hasWord("kCFBooleanTrue")
            }.map { line in
                rule.finding(
                    Finding.Place(file: source.path, line: line, key: "kSecAttrSynchronizable"),
                    "The item is on every device of the user, and two of them refresh one token.",
                    now: "true",
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let keychainTwice = Rule(
        "keychain-access-twice",
        .problem,
        "`kSecAttrAccessible` and `kSecAttrAccessControl` are in one query, which fails (-50)",
        source: "Apple, kSecAttrAccessControl"
    ) { rule, project in
        project.sources.flatMap { source in
            source.places(of: "kSecAttrAccessible", besideIn: "kSecAttrAccessControl").map { place in
                rule.finding(
                    Finding.Place(file: source.path, line: source.line(at: place), key: "kSecAttrAccessible"),
                    "The access control says when the item may be read; both together are errSecParam.",
                    now: "kSecAttrAccessible and kSecAttrAccessControl",
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let keychainGroupUndeclared = Rule(
        "keychain-group-undeclared",
        .problem,
        "The code names an access group that the entitlements do not list (-34018)",
        source: Document.keychainSharing
    ) { rule, project in
        project.sources.flatMap { source in
            source.accessGroups.flatMap { group, line in
                project.apps.filter { app in !app.keychainGroups.contains { $0.text.names(group: group) } }.map { app in
                    let isAppGroup = group.hasPrefix("group.")
                    let key = isAppGroup ? "com.apple.security.application-groups" : "keychain-access-groups"
                    let value = isAppGroup ? group : "$(AppIdentifierPrefix)" + group.withoutPrefix
                    let element = "<string>\(value)</string>"
                    let existing = app.entitlement(key)
                    return rule.finding(
                        existing?.place ?? app.entitlementPlace(for: key),
                        "\(source.path):\(line) keeps items in \(group); without the entitlement every call fails with "
                            + "errSecMissingEntitlement, -34018.",
                        now: app.keychainGroups.isEmpty ? nil : app.keychainGroups.map(\.text).joined(separator: " "),
                        fix: existing == nil ? "<key>\(key)</key>\n<array>\n    \(element)\n</array>" : element
                    )
                }
            }
        }
    }

    private static let keychainGroupPrefix = Rule(
        "keychain-group-prefix",
        .problem,
        "A keychain access group without the team before it",
        source: Document.keychainSharing
    ) { rule, project in
        project.targets.flatMap { target in
            target.strings(of: target.entitlement("keychain-access-groups")).filter { !$0.text.hasTeamPrefix }.map {
                rule.finding(
                    $0.place,
                    "An access group begins with the team's identifier; without it the app is not signed for it.",
                    now: $0.text,
                    fix: "<string>$(AppIdentifierPrefix)\($0.text)</string>"
                )
            }
        }
    }

    private static let keychainGroupShared = Rule(
        "keychain-group-shared",
        .warning,
        "An extension has no group in common with its app, so it cannot read the session",
        source: Document.keychainSharing
    ) { rule, project in
        let groups = Set(project.apps.flatMap(\.keychainGroups).map(\.text))
        // The groups of an app whose lists cannot be read are unknown.
        guard !groups.isEmpty, !project.targets.contains(where: \.hasUnreadableList) else { return [] }
        return project.targets.filter { $0.kind == .appExtension }.compactMap { target in
            guard groups.isDisjoint(with: target.keychainGroups.map(\.text)) else { return nil }
            let group = groups.sorted { ($0.hasPrefix("group.") ? 0 : 1, $0) < ($1.hasPrefix("group.") ? 0 : 1, $1) }[0]
            let key = group.hasPrefix("group.") ? "com.apple.security.application-groups" : "keychain-access-groups"
            return rule.finding(
                target.entitlement(key)?.place ?? target.entitlementPlace(for: key),
                "\(target.name) finds no session, and would sign in or refresh on its own.",
                now: target.keychainGroups.isEmpty ? nil : target.keychainGroups.map(\.text).joined(separator: " "),
                fix: "<string>\(group)</string>"
            )
        }
    }

    private static let appGroupForm = Rule(
        "app-group-form",
        .problem,
        "An app group of an app for iOS does not begin with `group.`",
        source: "Apple, App Groups Entitlement"
    ) { rule, project in
        project.targets.filter { $0.platforms.contains(.iOS) }.flatMap(\.appGroups).filter {
            !$0.text.hasPrefix("group.")
        }
        .map {
            rule.finding(
                $0.place,
                "On iOS an app group begins with group. and has no team before it.",
                now: $0.text,
                fix: "<string>group.\($0.text.withoutPrefix)</string>"
            )
        }
    }

    private static let tokenInDefaults = Rule(
        "token-in-defaults",
        .problem,
        "A token or a secret is kept in `UserDefaults`",
        source: "logi, iOS (Swift): Device Bootstrap; OWASP MASVS-STORAGE-1"
    ) { rule, project in
        project.sources.flatMap { source in
            source.tokensInDefaults.map {
                rule.finding(
                    Finding.Place(file: source.path, line: $0.line, key: $0.name),
                    "UserDefaults is a plain file that is in every backup. Keep it in the keychain.",
                    fix: "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
                )
            }
        }
    }
}

extension Project {
    /// A finding for each place where a constant stands.
    fileprivate func constants(_ names: [String], _ finding: (Finding.Place, String) -> Finding) -> [Finding] {
        sources.flatMap { source in
            names.flatMap { name in
                source.lines(of: name).map { finding(Finding.Place(file: source.path, line: $0, key: name), name) }
            }
        }
    }
}

extension SwiftSource {
    /// The keys and the values of user defaults that are named after a token: of `UserDefaults` and `@AppStorage`
    /// themselves, and of the variables that hold a `UserDefaults`.
    fileprivate var tokensInDefaults: [(line: Int, name: String)] {
        let defaults = lines(of: "UserDefaults")
        let variables = defaults.compactMap { line -> String? in
            guard
                let match = codeLine(line).firstMatch(
                    // Not \b: to a Regex a full stop between letters ends no word.
                    of: /(?:^|\W)(?:let|var)\s+(\w+)\s*(?::\s*UserDefaults\s*)?=\s*UserDefaults(?!\w)/
                )
            else { return nil }
            return String(match.output.1)
        }
        let uses = variables.flatMap { lines(of: $0) }.filter { codeLine($0).contains(".set(") }
        let all = Set(defaults + lines(of: "AppStorage") + uses)
        let keys = literals.filter { all.contains($0.line) && $0.text.namesToken }.map {
            (line: $0.line, name: $0.text)
        }
        let named = Set(keys.map(\.line))
        let values = all.subtracting(named).sorted().compactMap { line -> (line: Int, name: String)? in
            guard let match = codeLine(line).firstMatch(of: /\.set\(\s*([\w.?!]+)/) else { return nil }
            let name = String(match.output.1)
            return name.namesToken ? (line, name) : nil
        }
        return keys + values
    }

    /// Whether an access control is made on a line or just before it.
    fileprivate func isAccessControl(near line: Int) -> Bool {
        lines(of: "SecAccessControlCreateWithFlags").contains { ($0...($0 + 4)).contains(line) }
    }

    /// The access groups that the code names.
    fileprivate var accessGroups: [(group: String, line: Int)] {
        let names: Set<String> = ["accessGroup", "kSecAttrAccessGroup", "keychainGroup", "keychainAccessGroup"]
        return literals.compactMap { literal in
            guard !literal.isInterpolated, !literal.text.isEmpty else { return nil }
            let isNamed = name(of: literal).map(names.contains) ?? false
            let isValue = lines(of: "kSecAttrAccessGroup").contains(literal.line)
            return isNamed || isValue ? (literal.text, literal.line) : nil
        }
    }
}

extension String {
    /// Whether it begins with a team's identifier or the setting that stands for it.
    fileprivate var hasTeamPrefix: Bool {
        if hasPrefix("$(AppIdentifierPrefix)") || hasPrefix("$(TeamIdentifierPrefix)") { return true }
        let prefix = prefix { $0 != "." }
        return prefix.utf8.count == 10 && prefix.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0) }
    }

    /// The group without the team.
    fileprivate var withoutPrefix: String {
        for variable in ["$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)"] where hasPrefix(variable) {
            return String(dropFirst(variable.count))
        }
        return hasTeamPrefix ? String(drop { $0 != "." }.dropFirst()) : self
    }

    /// Whether an entitlement names the group that the code names, with or without the team.
    fileprivate func names(group: String) -> Bool { isSame(as: group) || withoutPrefix.isSame(as: group.withoutPrefix) }

    /// Whether a key names a secret.
    fileprivate var namesToken: Bool {
        let name = lowercased().filter { $0.isLetter }
        return ["accesstoken", "refreshtoken", "idtoken", "devicesecret", "clientsecret", "sessionid", "codeverifier"]
            .contains(where: name.contains)
    }
}
