import ProjectDoctor

extension RuleCase {
    private static let key = "LSApplicationQueriesSchemes"

    static let queries = [
        RuleCase(
            "query-of-system",
            Sample.info,
            on: "<key>\(key)</key>",
            key: key,
            fix: "<string>onepass</string>\n<string>https</string>"
        ) { $0.context.systems = [.logi] },
        RuleCase(
            "query-of-system",
            Sample.info,
            on: "<plist version=\"1.0\"><dict>",
            key: key,
            fix: "<key>\(key)</key>"
        ) {
            $0.context.systems = [.logi]
            try $0.replace(Sample.info, key, "Other")
            try $0.replace(Sample.info, "<plist version=\"1.0\">\n<dict>", "<plist version=\"1.0\"><dict>")
        },
        RuleCase("query-undeclared", Sample.info, on: "<key>\(key)</key>", key: key, fix: "<string>onepass</string>") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"_ = UIApplication.shared.canOpenURL(URL(string: "onepass://")!)"#
            )
        },
        RuleCase("query-form", Sample.info, on: "maps://", key: key + "[0]", fix: "<string>maps</string>") {
            try $0.replace(Sample.info, "<string>maps</string>", "<string>maps://</string>")
        },
        RuleCase("query-count", Sample.info, on: "<key>\(key)</key>", key: key) {
            let many = (1...51).map { "<string>maps\($0)</string>" }.joined(separator: "\n")
            try $0.replace(Sample.info, "<string>maps</string>", many)
        },
        RuleCase("app-first-missing", Sample.signIn, on: "_ session: ASWeb", key: "ASWebAuthenticationSession") {
            $0.context.systems = [.logi]
        },
    ]
}
