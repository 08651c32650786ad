import ProjectDoctor

extension RuleCase {
    private static let line = "static let redirectURI"

    static let redirects = [
        RuleCase("redirect-invalid", Sample.signIn, on: line, key: "redirectURI") {
            try $0.redirect(to: "https://reader.example.com/callback#part")
        },
        RuleCase("redirect-invalid", nil, key: "--redirect-uri") {
            $0.context.redirectURIs = ["https:///callback"]
        },
        RuleCase(
            "redirect-http",
            Sample.signIn,
            on: line,
            key: "redirectURI",
            fix: "https://reader.example.com/callback"
        ) {
            try $0.redirect(to: "http://reader.example.com/callback")
        },
        RuleCase(
            "redirect-one-slash",
            Sample.signIn,
            on: line,
            key: "redirectURI",
            fix: "com.example.reader://oauth/done"
        ) {
            try $0.redirect(to: "com.example.reader:/oauth/done")
        },
        RuleCase(
            "redirect-one-slash",
            Sample.signIn,
            on: line,
            key: "redirectURI",
            fix: "com.example.reader://callback"
        ) {
            try $0.redirect(to: "com.example.reader:callback")
        },
        RuleCase("redirect-of-provider", Sample.signIn, on: line, key: "redirectURI") {
            try $0.redirect(to: "https://id.example.com/callback")
        },
        RuleCase("redirect-of-provider", nil, key: "--redirect-uri") {
            $0.context.systems = [.ssafy]
            $0.context.redirectURIs = ["https://verify.myknow.xyz/ios"]
        },
        RuleCase("redirect-loopback", Sample.signIn, on: line, key: "redirectURI", fix: "com.example.reader://callback")
        {
            try $0.redirect(to: "http://127.0.0.1/callback")
        },
        RuleCase("redirect-custom", Sample.signIn, on: line, key: "redirectURI") {
            try $0.redirect(to: "com.example.reader://callback")
        },
    ]
}
