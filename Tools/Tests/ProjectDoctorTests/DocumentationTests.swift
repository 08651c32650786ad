import Foundation
import ProjectDoctor
import ProviderServer
import Testing

@Suite("The page about the doctor")
struct DocumentationTests {
    @Test("The table lists every rule as the code has it, in its order")
    func table() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/doctor.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| `") }
        let expected = Rule.all.map { "| `\($0.name)` | \($0.severity.rawValue) | \($0.title) | \($0.source) |" }
        #expect(rows == expected)
    }

    @Test("Every system of the command line is known")
    func systems() {
        #expect(KnownSystem.all.map(\.name) == VendorSystem.allCases.map(\.rawValue))
    }
}
