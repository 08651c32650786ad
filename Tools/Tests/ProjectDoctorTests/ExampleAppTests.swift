import Foundation
import ProjectDoctor
import Testing

/// The example that an app begins with is as the doctor wants an app to be.
@Suite("The example app under the doctor's eyes")
struct ExampleAppTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/SwiftUIApp").standardizedFileURL

    private func project(_ context: ProjectContext = ProjectContext()) throws -> Project {
        Project(try ProjectReader().files(at: Self.folder.path), context: context)
    }

    @Test("The example app has no problem, and two notes for what files cannot show")
    func findings() throws {
        let findings = try project().findings
        #expect(findings.map(\.rule) == ["association-unknown", "association-unknown"])
        #expect(findings.allSatisfy { $0.severity == .note })
    }

    @Test("The example app's association file serves both of its hosts")
    func association() throws {
        let file = Self.folder.appending(path: "apple-app-site-association")
        var context = ProjectContext()
        context.association = AssociationFile(.file(file.lastPathComponent), bytes: Array(try Data(contentsOf: file)))
        let findings = try project(context).findings
        #expect(findings.filter { $0.severity != .note } == [])
    }

    @Test("The doctor finds every front door of the example app")
    func doors() throws {
        let report = ProjectReport(on: try project())
        let lines = report.lines
        for system in ["Curity Identity Server", "logi", "Logto", "SSAFY Verify", "Zephr"] {
            #expect(lines.contains("system \(system)"))
        }
        #expect(lines.count { $0.hasPrefix("redirect URI ") } == 7)
    }
}
