/// The privacy manifest.
extension Rule {
    static let privacy = [manifestMissing, reasonMissing]

    private static let manifestMissing = Rule(
        "privacy-manifest",
        .warning,
        "There is no `PrivacyInfo.xcprivacy`",
        source: Document.privacy
    ) { rule, project in
        guard !project.apps.isEmpty, !project.files.files.contains(where: { $0.path.hasSuffix(".xcprivacy") }) else {
            return []
        }
        return [
            rule.finding(
                Finding.Place(key: "PrivacyInfo.xcprivacy"),
                "An app that signs users in collects their identifier, and declares so in its privacy manifest.",
                fix: """
                    <key>NSPrivacyTracking</key>
                    <false/>
                    <key>NSPrivacyCollectedDataTypes</key>
                    <array>
                        <dict>
                            <key>NSPrivacyCollectedDataType</key>
                            <string>NSPrivacyCollectedDataTypeUserID</string>
                            <key>NSPrivacyCollectedDataTypeLinked</key>
                            <true/>
                            <key>NSPrivacyCollectedDataTypeTracking</key>
                            <false/>
                            <key>NSPrivacyCollectedDataTypePurposes</key>
                            <array>
                                <string>NSPrivacyCollectedDataTypePurposeAppFunctionality</string>
                            </array>
                        </dict>
                    </array>
                    """
            )
        ]
    }

    private static let reasonMissing = Rule(
        "privacy-reason",
        .warning,
        "`UserDefaults` is used and the privacy manifest gives no reason",
        source: Document.reasons
    ) { rule, project in
        let manifests = project.lists.filter { $0.path.hasSuffix(".xcprivacy") }
        guard let manifest = manifests.first, project.codeUses("UserDefaults", "AppStorage") else { return [] }
        let category = "NSPrivacyAccessedAPICategoryUserDefaults"
        let isGiven = manifests.contains { manifest in
            (manifest.root["NSPrivacyAccessedAPITypes"]?.elements ?? []).contains {
                $0["NSPrivacyAccessedAPIType"]?.string == category
                    && $0["NSPrivacyAccessedAPITypeReasons"]?.elements?.isEmpty == false
            }
        }
        guard !isGiven else { return [] }
        let member = manifest.root.member("NSPrivacyAccessedAPITypes")
        let entry = """
            <dict>
                <key>NSPrivacyAccessedAPIType</key>
                <string>\(category)</string>
                <key>NSPrivacyAccessedAPITypeReasons</key>
                <array>
                    <string>CA92.1</string>
                </array>
            </dict>
            """
        return [
            rule.finding(
                Finding.Place(
                    file: manifest.path,
                    line: member?.line ?? manifest.root.line,
                    key: "NSPrivacyAccessedAPITypes"
                ),
                "The store refuses an app that uses this without a reason.",
                fix: member == nil ? "<key>NSPrivacyAccessedAPITypes</key>\n<array>\n\(entry)\n</array>" : entry
            )
        ]
    }
}
