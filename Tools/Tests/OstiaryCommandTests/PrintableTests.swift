import OstiaryCommand
import OstiaryJOSE
import Testing

@Suite("Text from outside", .fewAtOnce)
struct PrintableTests {
    @Test(
        "Characters that change the terminal are written as escapes",
        arguments: [
            ("a\u{1B}[2Jb", #"a\u{1B}[2Jb"#), ("a\nb", #"a\u{A}b"#), ("\u{9B}31m", #"\u{9B}31m"#),
            ("\u{7F}", #"\u{7F}"#),
            ("\u{202E}gnp.exe", #"\u{202E}gnp.exe"#), ("\u{2066}", #"\u{2066}"#), ("\u{2028}", #"\u{2028}"#),
            ("\u{E0041}", #"\u{E0041}"#), ("Zoë 🏳️‍🌈", "Zoë 🏳️‍🌈"),
        ]
    )
    func escapes(_ text: String, _ expected: String) {
        #expect(text.printable == expected)
    }

    @Test("JSON output escapes terminal control characters and keeps its meaning")
    func json() throws {
        let object: JSONObject = ["name": "a\u{202E}b\u{9B}c\u{E0041}\u{7F}\n\u{2028}"]
        let text = object.printable
        #expect(text == #"{"name":"a\u202eb\u009bc\udb40\udc41\u007f\u000a\u2028"}"#)
        #expect(try JSONObject(parsing: Array(text.utf8)) == object)
    }
}
