import ArgumentParser
import Foundation
import IssuerDoctor
import OstiaryJOSE
import OstiaryOAuth
import ProjectDoctor
import ProviderServer

/// `ostiary doctor`: what keeps sign-ins from working, or from being safe, at an issuer or in an app's project.
struct Doctor: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check an issuer, or an app's project.",
        discussion: """
            With an issuer, fetches its metadata and key set, and checks transport,
            metadata, keys and capabilities. With --project, reads Info.plist, the
            entitlements, the Xcode project's build settings, the privacy manifest and the
            Swift sources of an app, and compares them with the redirect URI in use.
            Nothing is changed. A project is read without the network, unless --association
            is a URL. A secret that is found is never printed.

            EXAMPLES
              ostiary doctor https://id.example.com
              ostiary doctor https://id.example.com --against fapi2 --fail-on warning
              ostiary doctor --project .
              ostiary doctor --project App --redirect-uri https://app.example.com/cb
              ostiary doctor --project App --system logi --json | jq -r .findings[].rule

            FINDINGS AT AN ISSUER
              Each rule is ok, or gives a note, a warning or an error, with its source and
              the fix. Without --against the rules are those that every client needs; a
              profile raises the grade of its requirements. From the grade of --fail-on the
              exit status is 3; it is 4 when the issuer does not respond.

            FINDINGS IN A PROJECT
              A problem breaks a sign-in or its security; the exit status is then 3. A
              warning concerns some users or some circumstances, and a note is a fact to
              know: with these alone the exit status is 0, unless --fail-on names them. It
              is 2 for a path that is not a project.
            """
    )

    @Argument(help: ArgumentHelp("The issuer to check, exactly as it is configured.", valueName: "issuer"))
    var checked: String?

    @Option(
        help: ArgumentHelp(
            "A specification that the issuer has to follow; may be repeated.",
            valueName: "profile"
        )
    )
    var against: [IssuerProfile] = []

    @Option(help: ArgumentHelp("The lowest grade that ends with 3. (default: error)", valueName: "grade"))
    var failOn: FailureGrade?

    @Option(
        help: ArgumentHelp("The folder of the project: the one with the .xcodeproj.", valueName: "path"),
        completion: .directory
    )
    var project: String?

    @Option(
        help: ArgumentHelp(
            "A redirect URI in use; may be repeated. Without it, those in the Swift sources.",
            valueName: "uri"
        )
    )
    var redirectURI: [String] = []

    @Option(
        help: ArgumentHelp("The Apple App Site Association file of the redirect URI's host.", valueName: "path or url"),
        completion: .file()
    )
    var association: String?

    @Option(
        help: ArgumentHelp(
            "A system that the app signs in with, besides those whose modules it imports; may be repeated.",
            valueName: "name"
        )
    )
    var system: [VendorSystem] = []

    @Option(help: ArgumentHelp("An issuer that the app signs in with; may be repeated.", valueName: "url"))
    var issuer: [String] = []

    @Option(help: ArgumentHelp("The team's identifier, if the project lacks it.", valueName: "id"))
    var team: String?

    @Option(help: ArgumentHelp("The app's bundle identifier, if the project lacks it.", valueName: "id"))
    var bundleID: String?

    @Option(help: ArgumentHelp("The only target to check.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The build configuration. Without it, that of an archive.",
            valueName: "name"
        )
    )
    var configuration: String?

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard (checked != nil) != (project != nil) else {
            throw ValidationError(
                "Give an issuer, such as https://id.example.com, or --project with the folder of an app's project."
            )
        }
        if project != nil, !against.isEmpty {
            throw ValidationError("--against needs an issuer: ostiary doctor ISSUER --against \(against[0].rawValue)")
        }
        guard let checked else { return }
        if let folder = Self.folder(checked) {
            throw ValidationError(
                "\(checked.shortened) is a folder, and no issuer. Run: "
                    + LoginLine.shell(["ostiary", "doctor", "--project", folder])
            )
        }
        let ofProjects: [(name: String, isGiven: Bool)] = [
            ("--redirect-uri", !redirectURI.isEmpty), ("--association", association != nil),
            ("--system", !system.isEmpty), ("--issuer", !issuer.isEmpty), ("--team", team != nil),
            ("--bundle-id", bundleID != nil), ("--target", target != nil), ("--configuration", configuration != nil),
        ]
        if let given = ofProjects.first(where: \.isGiven) {
            throw ValidationError("\(given.name) needs --project with the folder of an app's project.")
        }
    }

    /// The folder of the project that a path leads to; `nil` for a text that is not the path of a folder.
    private static func folder(_ path: String) -> String? {
        var isFolder: ObjCBool = false
        guard !path.contains("://"), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            isFolder.boolValue
        else { return nil }
        let url = URL(filePath: path)
        guard ["xcodeproj", "xcworkspace"].contains(url.pathExtension) else { return path }
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        return parent.isEmpty ? "." : (path.hasPrefix("/") ? "/" : "") + parent
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        if let checked { return try await examine(try Issuer(checked), on: console) }
        let files = try files(at: project ?? "")
        let project = Project(files, context: try await context())
        if let target, project.targets.isEmpty {
            throw UsageError("The project has no app or extension named \(target).")
        }
        let report = ProjectReport(on: project)
        let text = report.lines.map { $0.printable + "\n" }.joined()
        let severities: [Finding.Severity] =
            switch failOn ?? .error {
            case .error: [.problem]
            case .warning: [.problem, .warning]
            case .note: Finding.Severity.allCases
            }
        let count = severities.map(report.count).reduce(0, +)
        guard count > 0 else { return Answer(members: report.members, text: text) }
        if !output.json { try console.print(text) }
        throw TracedFailure(
            cause: ProjectProblems(count: count, isOnlyProblems: failOn ?? .error == .error),
            members: report.members
        )
    }
}

extension Doctor {
    private func files(at project: String) throws(UsageError) -> ProjectFiles {
        do throws(ProjectReadingError) {
            return try ProjectReader().files(at: project)
        } catch {
            switch error {
            case .noFolder(let path) where path.contains("://"):
                throw UsageError(
                    "\(path.shortened) is a URL, and no folder. Run: "
                        + LoginLine.shell(["ostiary", "doctor", path.shortened])
                )
            case .noFolder(let path):
                throw UsageError(
                    FileManager.default.fileExists(atPath: path)
                        ? "\(path) is a file: give the folder that holds the .xcodeproj."
                        : "There is no folder \(path)."
                )
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
    let isOnlyProblems: Bool

    var description: String {
        let noun = isOnlyProblems ? "problem" : "finding"
        return "The project has \(count) \(noun)\(count == 1 ? "" : "s")."
    }
}
