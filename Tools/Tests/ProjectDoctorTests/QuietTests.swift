import ProjectDoctor
import Testing

@Suite("Projects without findings")
struct QuietTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Sample) throws -> Void

        init(_ sentence: String, _ change: @escaping @Sendable (inout Sample) throws -> Void) {
            testDescription = sentence
            self.change = change
        }
    }

    private static let reader = "ABCDE12345.com.example.reader"

    private static func links(_ detail: String) -> String {
        #"{"applinks": {"details": \#(detail)}, "webcredentials": {"apps": ["\#(reader)"]}}"#
    }

    static let cases: [Case] = [
        Case("a wildcard that covers the host") {
            try $0.replace(
                Sample.entitlements,
                "webcredentials:reader.",
                "webcredentials:a.example.com</string><string>webcredentials:reader."
            )
        },
        Case("an association file with a pattern of any path") {
            $0.associate(links(#"[{"appIDs": ["\#(reader)"], "components": [{"/": "*"}]}]"#))
        },
        Case("an association file whose pattern ignores case by its defaults") {
            $0.associate(
                links(
                    #"[{"appIDs": ["\#(reader)"], "defaults": {"caseSensitive": false}, "components": [{"/": "/CALL*"}]}]"#
                )
            )
        },
        Case("an association file with the second of two entries for the app") {
            $0.associate(
                links(
                    #"[{"appIDs": ["\#(reader)"], "components": [{"/": "/a"}]}, {"appID": "\#(reader)", "components": [{}]}]"#
                )
            )
        },
        Case("a variable in a pattern") {
            $0.associate(links(#"[{"appIDs": ["\#(reader)"], "components": [{"/": "/$(lang)callback"}]}]"#))
        },
        Case("a redirect URI that only tests use") {
            $0.put("Kit/Tests/FlowTests.swift", #"let redirectURI = "my_app:/callback""#)
        },
        Case("strings that are named otherwise") {
            try $0.replace(
                Sample.signIn,
                "    static let issuer",
                "    static let help = \"my_app:/callback\"\n    static let issuer"
            )
        },
        Case("the values of the other configuration") {
            try $0.replace("Reader/ReaderDebug.entitlements", "reader.example.com", "reader.example.com?mode=developer")
        },
        Case("a secret that is a setting of the build or an authentication method") {
            try $0.replace(
                Sample.signIn,
                #"print("The sheet is open.")"#,
                #"let clientSecret = "$(CLIENT_SECRET)", clientSecretMethod = "client_secret_basic", oauthSecret = """#
            )
        },
        Case("an Info.plist of a package manager's or of tests that is broken") {
            $0.put("ReaderTests/Info.plist", "<plist><dict>")
        },
        Case("a JSON file that is no object") { $0.put("Reader/config.json", "[1, 2]") },
    ]

    @Test("A correct variation of the project has no finding", arguments: cases)
    func quiet(_ example: Case) throws {
        var sample = try Sample()
        try example.change(&sample)
        #expect(sample.project.findings == [])
    }

    @Test(
        "A project with any byte of a file changed is examined without a trap",
        arguments: [
            Sample.info, Sample.entitlements, Sample.xcode, Sample.signIn, Sample.store, "Config/Shared.xcconfig",
        ]
    )
    func changedBytes(_ path: String) throws {
        let sample = try Sample()
        let whole = try #require(sample.files.files.first { $0.path == path })
        for index in stride(from: 0, to: whole.bytes.count, by: max(1, whole.bytes.count / 12)) {
            for byte in [0x00, 0x22, 0x3C, 0xFF] as [UInt8] {
                var bytes = whole.bytes
                bytes[index] = byte
                var files = sample.files
                files.files.removeAll { $0.path == path }
                files.files.append(ProjectFiles.File(path: path, bytes: bytes))
                _ = ProjectReport(on: Project(files, context: sample.context)).lines
            }
        }
    }

    @Test("The doctor examines the chosen build configuration")
    func configuration() throws {
        var sample = try Sample()
        try sample.replace("Reader/ReaderDebug.entitlements", "applinks:", "applinks:https://")
        sample.context.configuration = "Debug"
        #expect(sample.project.findings.map(\.rule).contains("associated-domain-form"))
    }

    @Test("The doctor examines only the chosen target")
    func target() throws {
        var sample = try Sample()
        try sample.replace(Sample.mac, "network.client", "network.other")
        #expect(sample.project.findings.map(\.rule) == ["sandbox-client"])
        sample.context.target = "Reader"
        #expect(sample.project.findings == [])
    }

    @Test("A redirect URI of the sources is compared with the app whose folder it is in")
    func homes() throws {
        var sample = try Sample()
        try sample.replace("ReaderMac/ReaderMacApp.swift", "http://127.0.0.1/callback", "com.example.reader://mac")
        let unregistered = sample.project.findings.filter { $0.rule == "scheme-unregistered" }
        #expect(unregistered.map(\.place.file) == ["ReaderMac/Info.plist"])
    }

    @Test("A redirect URI of a settings file is found with its line")
    func settings() throws {
        var sample = try Sample()
        sample.put(
            "Reader/config.json",
            "{\n  \"redirectUri\":\n \"x\", \"redirect_uri\": \"io.curity.client:/callback\"\n}"
        )
        sample.put(
            "Reader/Auth.plist",
            "<plist><dict>\n<key>RedirectURL</key>\n<string>com.example.reader:/b</string></dict></plist>"
        )
        let slashes = sample.project.findings.filter { $0.rule == "redirect-one-slash" }.map(\.place)
        #expect(
            slashes == [
                Finding.Place(file: "Reader/Auth.plist", line: 3, key: "RedirectURL"),
                Finding.Place(file: "Reader/config.json", line: 3, key: "redirect_uri"),
            ]
        )
    }

    @Test(
        "Front doors are recognized by the imported modules",
        arguments: [
            ("LogiAuth", "logi"), ("OstiaryLogi", "logi"), ("LogtoClient", "logto"), ("OstiaryCurity", "curity"),
            ("OstiarySSAFY", "ssafy"), ("OstiaryZephr", "zephr"),
        ]
    )
    func imports(_ module: String, _ name: String) throws {
        var sample = try Sample()
        sample.put(
            "Reader/Other.swift",
            "#if os(iOS)\npublic import struct \(module).Client // import Nothing\n#endif\n"
        )
        #expect(sample.project.systems.map(\.name) == [name])
    }

    @Test("Without an Xcode project, an app is an Info.plist and the entitlements beside it")
    func loose() throws {
        var sample = try Sample()
        sample.remove(Sample.xcode)
        sample.remove("Reader/ReaderDebug.entitlements")
        sample.context.team = "ABCDE12345"
        sample.context.bundleID = "com.example.reader"
        #expect(sample.project.findings.map(\.rule) == ["face-id-usage"])
    }

    @Test("A setting's placeholder in an Info.plist is resolved as Xcode does")
    func lists() throws {
        var sample = try Sample()
        try sample.replace(Sample.info, "maps", "$(APP_IDENTIFIER)")
        #expect(sample.project.findings == [])
        try sample.replace(Sample.info, "$(APP_IDENTIFIER)", "${UNKNOWN}")
        #expect(sample.project.findings.map(\.rule) == ["query-form"])
    }
}
