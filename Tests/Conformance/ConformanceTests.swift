import Foundation
import Testing

@Suite("Conformance")
struct ConformanceTests {
    @Test("Every conformance module ends with its expected result", arguments: Module.certified + Module.own)
    func module(_ module: Module) async throws {
        let outcome = try await Journey(module).run()
        #expect(outcome.reached == module.expectation)
        #expect(outcome.furtherPaths == [], "Nothing more is sent.")
        #expect(!outcome.keptSomething, "Nothing of the bad answer is kept.")
        #expect(!outcome.isStillPending, "Nobody waits for another answer.")
    }

    @Test("No two modules of a plan have one name")
    func names() {
        let names = (Module.certified + Module.own).map { $0.plan.rawValue + $0.name }
        #expect(Set(names).count == names.count)
    }

    /// `OSTIARY_WRITE_DOCUMENTS` writes the page instead of comparing it.
    @Test("The table in docs/conformance.md is what a run gives")
    func table() async throws {
        let page = try await ConformanceTable.page(Module.certified + Module.own)
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/conformance.md")
        if ProcessInfo.processInfo.environment["OSTIARY_WRITE_DOCUMENTS"] != nil {
            try Data(page.utf8).write(to: file)
        }
        let written = try? String(contentsOf: file, encoding: .utf8)
        #expect(written == page, "Run `make documents` and look at what changed.")
    }
}
