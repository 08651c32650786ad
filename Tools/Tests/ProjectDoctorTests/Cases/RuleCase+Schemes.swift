import ProjectDoctor

extension RuleCase {
    private static let registered = "CFBundleURLTypes[0].CFBundleURLSchemes[0]"
    private static let redirect = "static let redirectURI"

    static let schemes = [
        RuleCase(
            "scheme-unregistered",
            Sample.info,
            on: "<key>CFBundleURLTypes</key>",
            key: "CFBundleURLTypes",
            fix: "<string>com.example.other</string>"
        ) { try $0.redirect(to: "com.example.other://callback") },
        RuleCase(
            "scheme-unregistered",
            "Reader/Info.plist",
            on: "<dict><key>A</key><string>B</string></dict>",
            key: "CFBundleURLTypes",
            fix: "<key>CFBundleURLTypes</key>"
        ) {
            try $0.redirect(to: "com.example.reader://callback")
            $0.put(Sample.info, "<plist>\n<dict><key>A</key><string>B</string></dict>\n</plist>")
        },
        RuleCase(
            "scheme-underscore",
            [(Sample.info, "<string>my_app</string>", registered), (Sample.signIn, redirect, "redirectURI")],
            fix: "my-app"
        ) {
            try $0.register("my_app")
            try $0.redirect(to: "my_app://callback")
        },
        RuleCase("scheme-characters", Sample.info, on: "1reader~app", key: registered, fix: "reader-app") {
            try $0.register("1reader~app")
        },
        RuleCase("scheme-characters", Sample.signIn, on: redirect, key: "redirectURI", fix: "reader-app") {
            try $0.redirect(to: "reader~app://callback")
        },
        RuleCase("scheme-upper-case", Sample.info, on: "<string>com.example.Reader</string>", key: registered) {
            try $0.register("com.example.Reader")
        },
        RuleCase(
            "scheme-is-uri",
            Sample.info,
            on: "com.example.reader://callback",
            key: registered,
            fix: "<string>com.example.reader</string>"
        ) { try $0.register("com.example.reader://callback") },
        RuleCase("scheme-reserved", Sample.info, on: "<string>https</string>", key: registered) {
            try $0.register("https")
        },
        RuleCase("scheme-without-dot", Sample.signIn, on: redirect, key: "redirectURI", fix: "com.example.reader") {
            try $0.redirect(to: "reader://callback")
        },
        RuleCase("scheme-of-sample", Sample.signIn, on: redirect, key: "redirectURI", fix: "com.example.reader") {
            try $0.redirect(to: "io.curity.client://callback")
        },
        RuleCase("scheme-of-provider", Sample.info, on: "<string>onepass</string>", key: registered) {
            try $0.register("onepass")
        },
        RuleCase(
            "scheme-shared",
            "ReaderMac/Info.plist",
            on: "<string>COM.example.reader</string>",
            key: registered,
            fix: "com.example.readermac"
        ) {
            try $0.replace(
                "ReaderMac/Info.plist",
                "<dict>",
                """
                <dict>
                <key>CFBundleURLTypes</key>
                <array><dict><key>CFBundleURLSchemes</key><array>
                <string>COM.example.reader</string>
                </array></dict></array>
                """
            )
        },
        RuleCase("url-types-form", Sample.info, on: "<key>CFBundleURLTypes</key>", key: "CFBundleURLTypes") {
            try $0.replace(Sample.info, "CFBundleURLSchemes", "CFBundleURLScheme")
        },
    ]
}
