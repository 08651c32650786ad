import Foundation
import ProjectDoctor
import ProviderServer
import Testing

@Suite("The page about the doctor")
struct DocumentationTests {
    @Test("The doctor's table lists every rule in the code's order")
    func table() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/doctor.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| `") }
        let expected = Rule.all.map { "| `\($0.name)` | \($0.severity.rawValue) | \($0.title) | \($0.source) |" }
        #expect(rows == expected)
    }

    @Test("The doctor knows every front door of the command line")
    func systems() {
        #expect(KnownSystem.all.map(\.name) == VendorSystem.allCases.map(\.rawValue))
    }
}
