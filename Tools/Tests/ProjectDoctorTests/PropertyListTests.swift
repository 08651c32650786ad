import Foundation
import ProjectDoctor
import Testing

@Suite("Property lists")
struct PropertyListTests {
    private func read(_ text: String) throws -> PropertyList {
        try PropertyList(reading: Array(text.utf8))
    }

    @Test("Every value of an XML property list has its line, whatever is between")
    func xml() throws {
        let list = try read(
            """
            \u{FEFF}<?xml version="1.0" encoding="utf-8"?>
            <!-- <plist> --><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "https://example.com/a.dtd">
            <plist version='1.0'><dict><key>a &amp; b</key>
              <string>x&lt;<![CDATA[<&]]>&#x41;&#66;<!-- no -->y</string>
              <key>list</key><array>
                <true/>
                <false></false><integer>-7</integer><string/><date>2026-01-01T00:00:00Z</date><real>1.5</real>
              </array><key>none</key><dict/></dict></plist>
            """
        )
        #expect(list["a & b"] == PropertyList(.string("x<<&ABy"), line: 4))
        #expect(list.member("list")?.line == 5)
        #expect(list["list"]?.elements?.map(\.line) == [6, 7, 7, 7, 7, 7])
        #expect(
            list["list"]?.elements?.map(\.content)
                == [.bool(true), .bool(false), .integer(-7), .string(""), .other, .other]
        )
        #expect(list["none"]?.members == [])
    }

    static let refused: [(String, PropertyListError)] = [
        ("<plist><dict>", PropertyListError(.malformed, line: 1)),
        ("<plist>\n<dict><key>a</key></dict></plist>", PropertyListError(.malformed, line: 2)),
        ("<plist><dict><string>a</string></dict></plist>", PropertyListError(.malformed, line: 1)),
        ("<plist><array></dict></plist>", PropertyListError(.malformed, line: 1)),
        ("<plist><strong>a</strong></plist>", PropertyListError(.malformed, line: 1)),
        ("<html></html>", PropertyListError(.malformed, line: 1)),
        ("<plist><string>&#xD800;</string></plist>", PropertyListError(.malformed, line: 1)),
        ("<plist><string>&a;</string></plist>", PropertyListError(.declarations, line: 1)),
        (
            "<!DOCTYPE plist [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><plist><string>&b;</string></plist>",
            PropertyListError(.declarations, line: 1)
        ),
        (
            "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<plist><string>&x;</string></plist>",
            PropertyListError(.declarations, line: 1)
        ),
        ("<?xml version=\"1.0\" encoding=\"UTF-7\"?><plist><true/></plist>", PropertyListError(.notUTF8, line: 1)),
        (
            "<plist>" + String(repeating: "<array>", count: 1_000) + String(repeating: "</array>", count: 1_000)
                + "</plist>",
            PropertyListError(.tooDeep, line: 1)
        ),
        (
            "<plist><array>" + String(repeating: "<true/>", count: 20_001) + "</array></plist>",
            PropertyListError(.tooLarge, line: 1)
        ),
        (String(repeating: " ", count: 1_048_577), PropertyListError(.tooLarge)),
        ("{ a = b; c = d }", PropertyListError(.malformed, line: 1)),
        (String(repeating: "(", count: 100_000), PropertyListError(.tooDeep, line: 1)),
        ("{ a = \"b", PropertyListError(.malformed, line: 1)),
        ("{\n/* without an end", PropertyListError(.malformed, line: 2)),
        ("{} {}", PropertyListError(.malformed, line: 1)),
        ("", PropertyListError(.malformed, line: 1)),
        ("bplist00", PropertyListError(.malformed)),
    ]

    @Test("A malformed or hostile property list is rejected with its line", arguments: refused)
    func refuses(_ text: String, _ error: PropertyListError) {
        #expect(throws: error) { try read(text) }
    }

    @Test("A property list that is not UTF-8 is rejected")
    func notText() {
        #expect(throws: PropertyListError(.notUTF8)) {
            try PropertyList(reading: Array("<plist><string>".utf8) + [0xFF] + Array("</string></plist>".utf8))
        }
    }

    @Test("A text property list is read with comments, quotes and lines")
    func text() throws {
        let list = try read(
            """
            // !$*UTF8*$!
            {
                a = b-c.d/$e; /* none */
                "q \\"x\\"" = ( one, "two, 2",
                    three );
                d = <00ff>;
            }
            """
        )
        #expect(list["a"] == PropertyList(.string("b-c.d/$e"), line: 3))
        #expect(list["q \"x\""]?.strings.map(\.text) == ["one", "two, 2", "three"])
        #expect(list["q \"x\""]?.strings.map(\.line) == [4, 4, 5])
        #expect(list["d"]?.content == .other)
    }

    @Test("A binary property list written by Foundation is read")
    func binary() throws {
        let object: [String: Any] = [
            "text": "plain", "wide": "서울 ✓", "long": String(repeating: "x", count: 300), "yes": true, "no": false,
            "number": 70_000, "list": ["a", ["b": "c"]], "data": Data([1, 2]), "date": Date(timeIntervalSince1970: 0),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let list = try PropertyList(reading: Array(data))
        #expect(list["text"]?.string == "plain")
        #expect(list["wide"]?.string == "서울 ✓")
        #expect(list["long"]?.string?.count == 300)
        #expect(list["yes"]?.content == .bool(true))
        #expect(list["no"]?.content == .bool(false))
        #expect(list["number"]?.content == .integer(70_000))
        #expect(list["list"]?.elements?.first?.string == "a")
        #expect(list["list"]?.elements?.last?["b"]?.string == "c")
        #expect(list["data"]?.content == .other)
        #expect(list.line == nil)
    }

    /// Each array holds the next one many times, so that a few bytes stand for more values than there are atoms.
    @Test("A binary property list that expands without end is rejected")
    func bomb() {
        var objects: [[UInt8]] = (0..<20).map { [0xA8] + [UInt8](repeating: UInt8($0 + 1), count: 8) }
        objects.append([0x09])
        #expect(throws: PropertyListError(.tooLarge)) { try PropertyList(reading: Self.binary(objects)) }
    }

    @Test("A binary property list that contains itself is rejected")
    func cycle() {
        #expect(throws: PropertyListError(.tooDeep)) { try PropertyList(reading: Self.binary([[0xA1, 0x00]])) }
    }

    @Test("A binary property list with any byte changed is read or rejected without a trap")
    func flipped() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["a": ["b", "서", 1, true], "c": ["d": "e"]] as [String: Any],
            format: .binary,
            options: 0
        )
        let whole = Array(data)
        for index in whole.indices {
            for value in [0x00, 0x0F, 0x7F, 0xFF, whole[index] ^ 0x10] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                _ = try? PropertyList(reading: bytes)
            }
            _ = try? PropertyList(reading: Array(whole.prefix(index)))
        }
    }

    private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        let table = bytes.count
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + number(objects.count) + number(0) + number(table)
    }
}
