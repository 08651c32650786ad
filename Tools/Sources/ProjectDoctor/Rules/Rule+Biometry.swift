/// Sign-ins and items behind Face ID or Touch ID.
extension Rule {
    static let biometry = [faceIDUsage, biometryAny, biometryGate]

    private static let faceIDUsage = Rule(
        "face-id-usage",
        .problem,
        "Face ID is used without `NSFaceIDUsageDescription`: the system ends the app",
        source: "Apple, NSFaceIDUsageDescription"
    ) { rule, project in
        guard project.codeUses("biometryCurrentSet", "biometryAny", "evaluatePolicy", "LAContext") else { return [] }
        return project.apps.filter { $0.platforms.contains(.iOS) }.compactMap { app in
            let text = app.info("NSFaceIDUsageDescription")
            guard text?.value.string?.isEmpty ?? true else { return nil }
            return rule.finding(
                text?.place ?? app.infoPlace(for: "NSFaceIDUsageDescription"),
                "The system ends an app that uses Face ID without this text.",
                now: text == nil ? nil : "an empty text",
                fix: "<key>NSFaceIDUsageDescription</key>\n<string>Unlocks your session.</string>"
            )
        }
    }

    private static let biometryAny = Rule(
        "biometry-any",
        .warning,
        "A keychain item opens to any finger or face, including one enrolled later",
        source: Document.biometry
    ) { rule, project in
        project.places(of: "biometryAny").map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "biometryAny"),
                "Anyone who knows the passcode can enrol a finger and read the item.",
                now: ".biometryAny",
                fix: ".biometryCurrentSet"
            )
        }
    }

    private static let biometryGate = Rule(
        "biometry-gate",
        .warning,
        "Face ID or Touch ID is evaluated, and its result unlocks nothing",
        source: Document.biometry
    ) { rule, project in
        guard !project.codeUses("SecAccessControlCreateWithFlags", "kSecUseAuthenticationContext") else { return [] }
        return project.places(of: "evaluatePolicy").prefix(1).map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "evaluatePolicy"),
                "A yes or no in the app can be walked round; put the protection on the keychain item itself. Without a "
                    + "passcode on the device there is no such item.",
                fix: """
                    SecAccessControlCreateWithFlags(
                        nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)
                    """
            )
        }
    }
}
