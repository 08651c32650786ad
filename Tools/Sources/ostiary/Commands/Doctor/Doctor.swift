import ArgumentParser
import OstiaryJOSE
import ProjectDoctor
import ProviderServer

/// `ostiary doctor`: which line of an app's project keeps a sign-in from working.
struct Doctor: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which line of an app's project keeps a sign-in from working, and what to write instead.",
        discussion: """
            Reads Info.plist, the entitlements, the Xcode project's build settings, the privacy
            manifest and the Swift sources of the project, and compares them with the redirect URI
            in use. Nothing is changed, and nothing is asked of the network unless --association is
            a URL. A secret that is found is never printed.

            EXAMPLES
              ostiary doctor --project .
              ostiary doctor --project App --redirect-uri https://app.example.com/callback \\
                --association https://app.example.com/.well-known/apple-app-site-association
              ostiary doctor --project App --system logi --json | jq -r .findings[].rule

            FINDINGS
              A problem keeps a sign-in from working, or from being safe; with one the exit status
              is 3. A warning concerns some people or some circumstances; a note is something to
              know. Neither changes the exit status, which is then 0. With a path that is no
              project it is 2.
            """
    )

    @Option(help: ArgumentHelp("The folder of the project: the one with the .xcodeproj.", valueName: "path"))
    var project: String

    @Option(
        help: ArgumentHelp(
            "A redirect URI in use; may be repeated. Without it, those that the Swift sources name.",
            valueName: "uri"
        )
    )
    var redirectURI: [String] = []

    @Option(
        help: ArgumentHelp("The Apple App Site Association file of the redirect URI's host.", valueName: "path or url")
    )
    var association: String?

    @Option(
        help: ArgumentHelp(
            "A system that the app signs in with, beside those whose modules it imports; may be repeated.",
            valueName: "name"
        )
    )
    var system: [VendorSystem] = []

    @Option(help: ArgumentHelp("An issuer that the app signs in with; may be repeated.", valueName: "url"))
    var issuer: [String] = []

    @Option(help: ArgumentHelp("The team's identifier, where the project does not say it.", valueName: "id"))
    var team: String?

    @Option(help: ArgumentHelp("The app's bundle identifier, where the project does not say it.", valueName: "id"))
    var bundleID: String?

    @Option(help: ArgumentHelp("The one target to look at.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The build configuration; without it, the one that an archive is made with.",
            valueName: "name"
        )
    )
    var configuration: String?

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let files = try files()
        let project = Project(files, context: try await context())
        if let target, project.targets.isEmpty {
            throw UsageError("The project has no app or extension named \(target).")
        }
        let report = ProjectReport(on: project)
        let text = report.lines.map { $0.printable + "\n" }.joined()
        guard report.count(.problem) > 0 else { return Answer(members: report.members, text: text) }
        if !output.json { try console.print(text) }
        throw TracedFailure(cause: ProjectProblems(count: report.count(.problem)), members: report.members)
    }
}

extension Doctor {
    private func files() throws(UsageError) -> ProjectFiles {
        do throws(ProjectReadingError) {
            return try ProjectReader().files(at: project)
        } catch {
            switch error {
            case .noFolder(let path): throw UsageError("There is no folder \(path).")
            case .nothingToRead(let path):
                throw UsageError("The folder \(path) holds no Xcode project, no property list and no Swift file.")
            }
        }
    }

    private func context() async throws -> ProjectContext {
        var context = ProjectContext()
        context.redirectURIs = redirectURI
        context.systems = KnownSystem.all.filter { known in system.contains { $0.rawValue == known.name } }
        context.issuers = issuer
        context.team = team
        context.bundleID = bundleID
        context.target = target
        context.configuration = configuration
        if let association { context.association = try await AssociationFile(named: association) }
        return context
    }
}

/// A project with something in it that keeps a sign-in from working.
struct ProjectProblems: Error, CustomStringConvertible {
    let count: Int

    var description: String { "The project has \(count) problem\(count == 1 ? "" : "s")." }
}
