import ProjectDoctor
import Testing

@Suite("Swift sources")
struct SwiftSourceTests {
    private func redirects(_ code: String) -> [String] {
        let files = ProjectFiles(files: [ProjectFiles.File(path: "App.swift", bytes: Array(code.utf8))])
        return Project(files).redirects.map { "\($0.text)@\($0.place.line ?? 0)" }
    }

    static let found: [(String, [String])] = [
        (#"let redirectURI = "a.b://c""#, ["a.b://c@1"]),
        (#"let redirectUri: String = "a.b://c""#, ["a.b://c@1"]),
        (#"var redirectURL: URL? = URL(string: "a.b://c")!"#, ["a.b://c@1"]),
        (#"client(redirectURI: try RedirectURI("a.b://c"))"#, ["a.b://c@1"]),
        (#"LogiAuthConfig(clientId: "x", redirectURI: URL(string: "a.b://c")!, scopes: ["openid"])"#, ["a.b://c@1"]),
        (#"signInWithBrowser(redirectUri: "a.b://c")"#, ["a.b://c@1"]),
        (#"signOut(postLogoutRedirectUri: "a.b://out")"#, ["a.b://out@1"]),
        (#"items = ["redirect_uri": "a.b://c", "scope": "openid"]"#, ["a.b://c@1"]),
        (#"items = [.init(name: "redirect_uri", value: "a.b://c")]"#, ["a.b://c@1"]),
        ("let redirectURI =\n    \"a.b://c\"", ["a.b://c@2"]),
        (##"let redirectURI = #"a.b://c"#"##, ["a.b://c@1"]),
        ("let redirectURI = \"\"\"\n    a.b://c\n    \"\"\"", []),
        (#"// let redirectURI = "a.b://c""#, []),
        (#"/* let redirectURI = "a.b://c" */"#, []),
        (#"let text = "let redirectURI = \"a.b://c\"""#, []),
        (#"let homeURI = "a.b://c""#, []),
        (#"if redirectURI == "a.b://c" {}"#, []),
        (#"let redirectURI = "\(scheme)://c""#, []),
        (#"log("\(redirectURI: "a.b://c")")"#, ["a.b://c@1"]),
        (#"let redirectURI = "no uri""#, []),
    ]

    @Test("A redirect URI is found where the code names it as one, and nowhere else", arguments: found)
    func redirects(_ code: String, _ expected: [String]) {
        #expect(redirects(code) == expected)
    }

    @Test(
        "Code that ends in the middle of something is read to its end",
        arguments: [
            "\"", "\"\"\"", "#\"", "/*", "/* /*", "\"\\(", "\"\\(\"\\(\"\\(", "#", "\\", "\"\\", "let a = \"b\\(c(",
            String(repeating: "\"\\(", count: 10_000), String(repeating: "/*", count: 10_000),
            String(repeating: "#", count: 10_000),
            String(repeating: "[", count: 10_000) + "kSecAttrAccessible, kSecAttrAccessControl",
        ]
    )
    func unfinished(_ code: String) {
        #expect(redirects(code) == [])
    }
}
