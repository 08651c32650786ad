import ProjectDoctor

extension RuleCase {
    private static let key = "com.apple.developer.associated-domains"
    private static let links = "        <string>applinks:reader.example.com</string>"

    static let domains = [
        RuleCase(
            "webcredentials-missing",
            Sample.entitlements,
            on: "<key>\(key)</key>",
            key: key,
            fix: "<string>webcredentials:reader.example.com</string>"
        ) { try $0.replace(Sample.entitlements, "<string>webcredentials:reader.example.com</string>", "") },
        RuleCase("webcredentials-missing", Sample.xcode, on: "B00000000000000000000001 /* Reader */ = {", key: key) {
            try $0.replace(
                Sample.xcode,
                #"CODE_SIGN_ENTITLEMENTS = "$(SRCROOT)/Reader/$(TARGET_NAME).entitlements";"#,
                ""
            )
        },
        RuleCase("webcredentials-missing", Sample.entitlements, on: "<key>\(key)</key>", key: key) {
            // The wildcard is for the hosts below.
            try $0.replace(
                Sample.entitlements,
                "webcredentials:reader.example.com",
                "webcredentials:*.reader.example.com"
            )
        },
        RuleCase(
            "applinks-missing",
            Sample.entitlements,
            on: "<key>\(key)</key>",
            key: key,
            fix: "<string>applinks:reader.example.com</string>"
        ) {
            $0.context.systems = [.logi]
            try $0.replace(Sample.entitlements, links, "")
        },
        RuleCase("applinks-of-provider", Sample.entitlements, on: "applinks:api.1pass.dev", key: key + "[1]") {
            try $0.replace(Sample.entitlements, "applinks:reader.example.com", "applinks:api.1pass.dev")
        },
        RuleCase("applinks-of-provider", Sample.entitlements, on: "applinks:*.example.com", key: key + "[1]") {
            // The issuer of the sources is below it.
            try $0.replace(Sample.entitlements, "applinks:reader.example.com", "applinks:*.example.com")
        },
        RuleCase("applinks-of-provider", Sample.entitlements, on: "applinks:login.example.org", key: key + "[1]") {
            $0.context.issuers = ["https://login.example.org/tenant"]
            try $0.replace(Sample.entitlements, "applinks:reader.example.com", "applinks:login.example.org")
        },
        RuleCase(
            "associated-domain-form",
            Sample.entitlements,
            on: "applinks:https://",
            key: key + "[1]",
            fix: "<string>applinks:reader.example.com</string>"
        ) { try $0.replace(Sample.entitlements, "applinks:reader", "applinks:https://reader") },
        RuleCase(
            "associated-domain-form",
            Sample.entitlements,
            on: "webcredential:",
            key: key + "[0]",
            fix: "<string>webcredentials:reader.example.com</string>"
        ) { try $0.replace(Sample.entitlements, "webcredentials:", "webcredential:") },
        RuleCase("associated-domain-form", Sample.entitlements, on: "com:8443", key: key + "[1]") {
            try $0.replace(Sample.entitlements, links, "<string>applinks:reader.example.com:8443</string>")
        },
        RuleCase(
            "associated-domain-mode",
            Sample.entitlements,
            on: "?mode=developer",
            key: key + "[0]",
            fix: "<string>webcredentials:reader.example.com</string>"
        ) {
            try $0.replace(
                Sample.entitlements,
                "webcredentials:reader.example.com",
                "webcredentials:reader.example.com?mode=developer"
            )
        },
        RuleCase("associated-domain-wildcard", Sample.entitlements, on: "*.shop", key: key + "[1]") {
            try $0.replace(Sample.entitlements, "applinks:reader.example.com", "applinks:*.shop.example.com")
        },
    ]
}
