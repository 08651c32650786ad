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

    @Test("A module of the plans for providers is a row once, with tests that exist")
    func providerModules() throws {
        #expect(ProviderModule.all.count == ProviderModule.lineCount)
        let names = ProviderModule.all.map { $0.plan + $0.name }
        #expect(Set(names).count == names.count)
        let suites = try Self.suites()
        for test in Set(ProviderModule.all.flatMap(\.tests)) {
            let parts = test.split(separator: ".").map(String.init)
            let source = parts.count == 2 ? suites[parts[0]] : nil
            #expect(source?.contains("func \(parts.last ?? "")(") == true, "\(test)")
        }
    }

    /// The text of each suite of the tests.
    private static func suites() throws -> [String: String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var suites: [String: String] = [:]
        for folder in ["Tests", "Tools/Tests"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder),
                includingPropertiesForKeys: nil
            )
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let name = file.deletingPathExtension().lastPathComponent
                suites[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
            }
        }
        return suites
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
