import ProjectDoctor

extension RuleCase {
    static let reading = [
        RuleCase("list-unreadable", Sample.info, on: "<dict><broken>") {
            try $0.replace(Sample.info, "<key>NSAppTransportSecurity</key>", "<dict><broken>")
        },
        RuleCase("list-unreadable", Sample.xcode, on: "archiveVersion") {
            try $0.replace(Sample.xcode, "archiveVersion = 1;", "archiveVersion = 1")
            try $0.replace(Sample.xcode, "\tclasses = {\n\t};\n", "")
            try $0.replace(Sample.xcode, "archiveVersion = 1\n", "archiveVersion = 1 )")
        },
        RuleCase("file-skipped", "Reader/Huge.plist") {
            $0.files.skipped = [ProjectFiles.Skipped(path: "Reader/Huge.plist", reason: .tooLarge)]
        },
        RuleCase("build-setting-file", Sample.xcode, on: "INFOPLIST_FILE = ReaderMac/Info.plist;") {
            $0.remove("ReaderMac/Info.plist")
        },
        RuleCase("entitlements-unused", Sample.xcode, on: "/* ReaderMac */ = {", fix: Sample.mac) {
            try $0.replace(
                Sample.xcode,
                #""CODE_SIGN_ENTITLEMENTS[sdk=macosx*]" = ReaderMac/ReaderMac.entitlements;"#,
                ""
            )
        },
        RuleCase("no-app", nil) {
            $0.files.files.removeAll { !$0.path.hasSuffix(".swift") }
        },
        RuleCase("redirect-unknown", nil) {
            $0.files.files.removeAll { $0.path.hasSuffix(".swift") }
        },
        RuleCase("redirect-uncertain", Sample.signIn, on: "static let redirectURI", key: "redirectURI") {
            try $0.replace(Sample.signIn, "https://reader.example.com/callback", #"https://\(host)/callback"#)
        },
    ]
}
