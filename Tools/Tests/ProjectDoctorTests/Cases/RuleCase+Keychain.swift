import ProjectDoctor

extension RuleCase {
    private static let good = "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
    private static let groups = "com.apple.security.application-groups"

    private static func accessible(_ rule: String, _ constant: String, fix: String) -> RuleCase {
        RuleCase(rule, Sample.store, on: "String: \(constant),", key: constant, fix: fix) {
            try $0.replace(Sample.store, good, constant)
        }
    }

    static let keychain = [
        accessible("keychain-migrates", "kSecAttrAccessibleAfterFirstUnlock", fix: good),
        accessible(
            "keychain-migrates",
            "kSecAttrAccessibleWhenUnlocked",
            fix: "kSecAttrAccessibleWhenUnlockedThisDeviceOnly"
        ),
        accessible("keychain-always", "kSecAttrAccessibleAlways", fix: good),
        accessible("keychain-always", "kSecAttrAccessibleAlwaysThisDeviceOnly", fix: good),
        accessible("keychain-foreground", "kSecAttrAccessibleWhenUnlockedThisDeviceOnly", fix: good),
        accessible("keychain-foreground", "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly", fix: good),
        RuleCase("keychain-default", "Reader/Other.swift", on: "SecItemAdd", key: "SecItemAdd", fix: good) {
            $0.put("Reader/Other.swift", "import Security\nfunc add() { _ = SecItemAdd(query as CFDictionary, nil) }\n")
        },
        RuleCase("keychain-synchronizable", Sample.store, on: "Synchronizable", key: "kSecAttrSynchronizable") {
            try $0.replace(
                Sample.store,
                "kSecValueData as String: token,",
                "kSecAttrSynchronizable as String: kCFBooleanTrue as Any,"
            )
        },
        RuleCase("keychain-access-twice", Sample.store, on: "kSecAttrAccessible as", key: "kSecAttrAccessible") {
            try $0.replace(
                Sample.store,
                "kSecValueData as String: token,",
                "kSecAttrAccessControl as String: guarded() as Any,"
            )
        },
        RuleCase(
            "keychain-group-undeclared",
            [
                (Sample.entitlements, "<key>keychain-access-groups</key>", "keychain-access-groups"),
                (Sample.mac, "<key>keychain-access-groups</key>", "keychain-access-groups"),
            ],
            fix: "<string>$(AppIdentifierPrefix)com.example.other</string>"
        ) { try $0.replace(Sample.store, "ABCDE12345.com.example.reader", "ABCDE12345.com.example.other") },
        RuleCase("keychain-group-undeclared", Sample.mac, on: "<dict>", key: groups, fix: "group.com.example.reader") {
            try $0.replace(Sample.store, "ABCDE12345.com.example.reader", "group.com.example.reader")
        },
        RuleCase(
            "keychain-group-prefix",
            Sample.entitlements,
            on: "<string>com.example.reader</string>",
            key: "keychain-access-groups[0]",
            fix: "<string>$(AppIdentifierPrefix)com.example.reader</string>"
        ) { try $0.replace(Sample.entitlements, "$(AppIdentifierPrefix)", "") },
        RuleCase("keychain-group-shared", "Shelf/Shelf.entitlements", on: "<key>\(groups)</key>", key: groups) {
            try $0.replace("Shelf/Shelf.entitlements", "group.com.example.reader", "group.com.example.shelf")
        },
        RuleCase(
            "app-group-form",
            Sample.entitlements,
            on: "<string>ABCDE12345.com.example.reader</string>",
            key: groups + "[0]",
            fix: "<string>group.com.example.reader</string>"
        ) { try $0.replace(Sample.entitlements, "group.com", "ABCDE12345.com") },
        RuleCase("token-in-defaults", Sample.app, on: "@AppStorage", key: "refresh_token") {
            try $0.replace(Sample.app, #"@AppStorage("lastBook")"#, #"@AppStorage("refresh_token")"#)
        },
        RuleCase("token-in-defaults", Sample.signIn, on: "UserDefaults", key: "logi.device_secret") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"UserDefaults.standard.set(secret, forKey: "logi.device_secret")"#
            )
        },
        RuleCase("token-in-defaults", Sample.signIn, on: "UserDefaults", key: "accessToken") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"UserDefaults.standard.set(accessToken, forKey: "token")"#
            )
        },
        RuleCase("token-in-defaults", Sample.signIn, on: "d.set(", key: "tokens.refreshToken") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                "let d = UserDefaults.standard\n" + #"d.set(tokens.refreshToken, forKey: "t")"#
            )
        },
    ]

    static let biometry = [
        RuleCase(
            "face-id-usage",
            Sample.info,
            on: "<plist version=\"1.0\"><dict>",
            key: "NSFaceIDUsageDescription",
            fix: "<key>NSFaceIDUsageDescription</key>"
        ) {
            try $0.replace(Sample.xcode, "INFOPLIST_KEY_NSFaceIDUsageDescription", "INFOPLIST_KEY_Other")
            try $0.replace(Sample.info, "<plist version=\"1.0\">\n<dict>", "<plist version=\"1.0\"><dict>")
        },
        RuleCase(
            "face-id-usage",
            Sample.xcode,
            on: "INFOPLIST_KEY_NSFaceIDUsageDescription",
            key: "INFOPLIST_KEY_NSFaceIDUsageDescription"
        ) { try $0.replace(Sample.xcode, "\"Unlocks your library.\"", "\"\"") },
        RuleCase("biometry-any", Sample.store, on: ".biometryAny", key: "biometryAny", fix: ".biometryCurrentSet") {
            try $0.replace(Sample.store, ".biometryCurrentSet", ".biometryAny")
        },
        RuleCase(
            "biometry-gate",
            Sample.store,
            on: "evaluatePolicy",
            key: "evaluatePolicy",
            fix: "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet"
        ) {
            try $0.replace(
                Sample.store,
                "SecAccessControlCreateWithFlags(",
                "LAContext().evaluatePolicy("
            )
        },
    ]

    static let macOS = [
        RuleCase(
            "sandbox-client",
            Sample.mac,
            on: "<key>com.apple.security.network.client</key><false/>",
            key: "com.apple.security.network.client",
            fix: "<true/>"
        ) {
            try $0.replace(
                Sample.mac,
                "<key>com.apple.security.network.client</key>\n    <true/>",
                "<key>com.apple.security.network.client</key><false/>"
            )
        },
        RuleCase("sandbox-client", Sample.xcode, on: "/* ReaderMac */ = {", key: "com.apple.security.network.client") {
            try $0.replace(
                Sample.xcode,
                #""CODE_SIGN_ENTITLEMENTS[sdk=macosx*]" = ReaderMac/ReaderMac.entitlements;"#,
                "ENABLE_APP_SANDBOX = YES;"
            )
        },
        RuleCase("sandbox-server", Sample.mac, on: "<dict>", key: "com.apple.security.network.server", fix: "<true/>") {
            try $0.replace(Sample.mac, "network.server", "network.other")
        },
        RuleCase("mac-keychain", Sample.mac, on: "<dict>", key: "keychain-access-groups", fix: "com.example.readermac")
        {
            try $0.replace(Sample.mac, "keychain-access-groups", "other")
        },
    ]
}
