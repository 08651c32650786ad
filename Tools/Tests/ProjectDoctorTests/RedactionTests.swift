import OstiaryJOSE
import ProjectDoctor
import Testing

@Suite("Redaction of secrets in the output of doctor")
struct RedactionTests {
    private static let planted = "pl4nted-s3cr3t"

    /// A project with the secret wherever a developer puts one.
    private func sample() throws -> Sample {
        var sample = try Sample()
        try sample.replace(
            Sample.info,
            "<key>CFBundleURLTypes</key>",
            "<key>OAuthClientSecret</key><string>\(Self.planted)</string><key>CFBundleURLTypes</key>"
        )
        sample.put("Reader/config.json", #"{"oauth": {"client_secret": "\#(Self.planted)"}}"#)
        sample.put("Config/Shared.xcconfig", "OAUTH_CLIENT_SECRET = \(Self.planted)\n")
        try sample.replace(
            Sample.signIn,
            #"print("The sheet is open.")"#,
            """
            let clientSecret = "\(Self.planted)"
                    let redirectURI = "http://user:\(Self.planted)@reader.example.com/callback?token=\(Self.planted)"
            """
        )
        return sample
    }

    @Test("A secret is found in each kind of file, and its value is in no output")
    func secrets() throws {
        let report = ProjectReport(on: try sample().project)
        let rules = Set(report.findings.map(\.rule))
        #expect(rules.isSuperset(of: ["secret-in-list", "secret-in-file", "secret-in-source", "secret-in-setting"]))
        #expect(!report.lines.joined(separator: "\n").contains(Self.planted))
        #expect(!String(decoding: report.members.encoded(), as: UTF8.self).contains(Self.planted))
        for finding in report.findings {
            var told = ""
            dump(finding, to: &told)
            #expect(!told.contains(Self.planted), "\(finding.rule)")
            if finding.rule.hasPrefix("secret-in-") { #expect(finding.now == "[redacted]") }
        }
    }
}
