import ProjectDoctor

extension RuleCase {
    private static let security = "NSAppTransportSecurity"

    private static func exception(_ member: String) -> RuleCase {
        RuleCase(
            "ats-provider-exception",
            Sample.info,
            on: member,
            key: "\(security).NSExceptionDomains.example.com."
                + (member.firstMatch(of: /<key>(\w+)</).map { String($0.1) } ?? "")
        ) {
            try $0.replace(
                Sample.info,
                "<key>NSAllowsLocalNetworking</key>\n        <true/>",
                """
                <key>NSExceptionDomains</key><dict><key>example.com</key><dict>
                <key>NSIncludesSubdomains</key><true/>
                \(member)
                </dict></dict>
                """
            )
        }
    }

    static let network = [
        RuleCase("ats-arbitrary-loads", Sample.info, on: "NSAllowsArbitrary", key: security + ".NSAllowsArbitraryLoads")
        {
            try $0.replace(Sample.info, "NSAllowsLocalNetworking", "NSAllowsArbitraryLoads")
        },
        exception("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"),
        exception("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"),
        exception("<key>NSExceptionRequiresForwardSecrecy</key><false/>"),
        RuleCase(
            "ats-loopback",
            [(Sample.info, "<key>\(security)</key>", security), ("ReaderMac/Info.plist", "<dict>", security)],
            fix: "<key>NSAllowsLocalNetworking</key>"
        ) {
            try $0.replace(Sample.signIn, "https://id.example.com", "http://127.0.0.1:8080")
            try $0.replace(Sample.info, "NSAllowsLocalNetworking", "NSOther")
        },
        RuleCase("issuer-http", Sample.signIn, on: "static let issuer", key: "issuer", fix: "https://id.example.com") {
            try $0.replace(Sample.signIn, "https://id.example.com", "http://id.example.com")
        },
        RuleCase("issuer-http", "Reader/News.swift", on: "baseURL", key: "baseURL", fix: "https://news.example.com") {
            $0.put("Reader/News.swift", "import OstiaryZephr\nlet baseURL = \"http://news.example.com\"\n")
        },
        RuleCase("issuer-of-development", Sample.signIn, on: "static let issuer", key: "issuer") {
            try $0.replace(Sample.signIn, "https://id.example.com", "https://bae971bb9a64.eu.ngrok.io/oauth/v2")
        },
    ]

    static let secrets = [
        RuleCase("secret-in-list", Sample.info, on: "s3cr3t-of-the-list", key: "OAuth.CLIENT_SECRET") {
            try $0.replace(
                Sample.info,
                "<key>NSAppTransportSecurity</key>",
                """
                <key>OAuth</key><dict><key>CLIENT_SECRET</key>
                <string>s3cr3t-of-the-list</string></dict>
                <key>NSAppTransportSecurity</key>
                """
            )
        },
        RuleCase("secret-in-file", "Reader/config.json", on: "s3cr3t-of-the-file", key: "oauth.client_secret") {
            $0.put("Reader/config.json", "{\n  \"oauth\": {\n    \"client_secret\": \"s3cr3t-of-the-file\"\n  }\n}\n")
        },
        RuleCase("secret-in-source", Sample.signIn, on: "s3cr3t-of-the-code", key: "clientSecret") {
            try $0.replace(Sample.signIn, #"clientID: "reader""#, #"clientSecret: Secret("s3cr3t-of-the-code")"#)
        },
        RuleCase("secret-in-source", Sample.signIn, on: "GOCSPX-", key: "value") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"let value = "GOCSPX-0123456789abcdefghijklmnop""#
            )
        },
        RuleCase("secret-in-source", Sample.signIn, on: "s3cr3t-of-the-code", key: "client_secret") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"items.append(URLQueryItem(name: "client_secret", value: "s3cr3t-of-the-code"))"#
            )
        },
        RuleCase("secret-in-setting", "Config/Shared.xcconfig", on: "OAUTH_CLIENT_SECRET", key: "OAUTH_CLIENT_SECRET") {
            $0.put(
                "Config/Shared.xcconfig",
                ($0.text("Config/Shared.xcconfig") ?? "") + "OAUTH_CLIENT_SECRET = s3cr3t-of-it\n"
            )
        },
        RuleCase(
            "secret-in-setting",
            Sample.xcode,
            on: "INFOPLIST_KEY_ClientSecret",
            key: "INFOPLIST_KEY_ClientSecret"
        ) {
            try $0.replace(
                Sample.xcode,
                "MACOSX_DEPLOYMENT_TARGET = 15.0;",
                "MACOSX_DEPLOYMENT_TARGET = 15.0;\nINFOPLIST_KEY_ClientSecret = \"s3cr3t-of-the-project\";"
            )
        },
        RuleCase("token-logged", Sample.signIn, on: "print(") {
            try $0.replace(Sample.signIn, #"print("The sheet is open.")"#, #"print("Done: \(result.accessToken)")"#)
        },
    ]

    static let platforms = [
        RuleCase(
            "deployment-target",
            Sample.xcode,
            on: "MACOSX_DEPLOYMENT_TARGET",
            key: "MACOSX_DEPLOYMENT_TARGET",
            fix: "MACOSX_DEPLOYMENT_TARGET = 13.0;"
        ) { try $0.replace(Sample.xcode, "MACOSX_DEPLOYMENT_TARGET = 15.0", "MACOSX_DEPLOYMENT_TARGET = 12.7") },
        RuleCase(
            "https-callback-target",
            Sample.xcode,
            on: "MACOSX_DEPLOYMENT_TARGET",
            key: "MACOSX_DEPLOYMENT_TARGET",
            fix: "MACOSX_DEPLOYMENT_TARGET = 14.4;"
        ) {
            try $0.replace(Sample.xcode, "MACOSX_DEPLOYMENT_TARGET = 15.0", "MACOSX_DEPLOYMENT_TARGET = 14.0")
        },
    ]

    static let privacy = [
        RuleCase("privacy-manifest", nil, key: "PrivacyInfo.xcprivacy", fix: "NSPrivacyCollectedDataTypeUserID") {
            $0.remove("Reader/PrivacyInfo.xcprivacy")
        },
        RuleCase(
            "privacy-reason",
            "Reader/PrivacyInfo.xcprivacy",
            on: "<key>NSPrivacyAccessedAPITypes</key>",
            key: "NSPrivacyAccessedAPITypes",
            fix: "CA92.1"
        ) { try $0.replace("Reader/PrivacyInfo.xcprivacy", "CategoryUserDefaults", "CategoryDiskSpace") },
    ]

    static let systems = [
        RuleCase(
            "issuer-spelling",
            Sample.signIn,
            on: "static let issuer",
            key: "issuer",
            fix: "\"https://api.1pass.dev\""
        ) {
            try $0.replace(Sample.signIn, "https://id.example.com", "https://api.1pass.dev/")
        },
        RuleCase("exchange-in-app", Sample.signIn, on: "verify/token") {
            $0.context.systems = [.ssafy]
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"post("https://verify.myknow.xyz/verify/token")"#
            )
        },
        RuleCase(
            "ephemeral-session",
            Sample.signIn,
            on: "= true",
            key: "prefersEphemeralWebBrowserSession",
            fix: "false"
        ) {
            $0.context.systems = [.logto]
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                "session.prefersEphemeralWebBrowserSession = true"
            )
        },
        RuleCase("logi-version", "Package.resolved", key: "pins[0].state.version", fix: "from: \"0.2.0\"") {
            $0.put("Package.resolved", pin("https://github.com/dcode-co/logi-auth-swift.git", "0.1.1"))
        },
        RuleCase("logto-version", "Package.resolved", key: "pins[0].state.version", fix: "2.0.0-beta.1") {
            $0.put("Package.resolved", pin("https://github.com/logto-io/swift.git", "1.2.0"))
        },
    ]

    private static func pin(_ location: String, _ version: String) -> String {
        #"{"version": 2, "pins": [{"location": "\#(location)", "state": {"version": "\#(version)"}}]}"#
    }
}
