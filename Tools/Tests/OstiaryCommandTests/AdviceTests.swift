import ArgumentParser
import Foundation
import Testing

@testable import OstiaryCommand

@Suite("The commands that help and messages name")
struct AdviceTests {
    /// A command of the program, with its name after `ostiary`.
    struct Command: Sendable, CustomTestStringConvertible {
        let path: [String]
        let type: any ParsableCommand.Type

        var testDescription: String { path.isEmpty ? "ostiary" : path.joined(separator: " ") }

        static func all(_ type: any ParsableCommand.Type = OstiaryCommand.self, _ path: [String] = []) -> [Command] {
            let below = type.configuration.subcommands
            return [Command(path: path, type: type)] + below.flatMap { all($0, path + [$0._commandName]) }
        }
    }

    @Test("Every example of the help is parsed by the command line", arguments: Command.all())
    func examples(_ command: Command) {
        let text = command.type.configuration.discussion.replacing("\\\n", with: " ")
        for line in text.split(separator: "\n") where line.hasPrefix("  ostiary ") {
            for part in line.replacing(" || ", with: " | ").split(separator: " | ") {
                let end = part.firstRange(of: " > ")?.lowerBound ?? part.endIndex
                let words = Advice.words(of: part[..<end].prefix { $0 != ";" })
                guard words.first == "ostiary" else { continue }
                let problem = Advice.problem(of: Array(words.dropFirst()))
                #expect(problem == nil, "\(line): \(problem ?? "")")
            }
        }
    }

    @Test("No line of an example is wrapped by the help", arguments: Command.all())
    func wrapping(_ command: Command) {
        let help = command.type.helpMessage(columns: 80).split(separator: "\n").map(String.init)
        for line in command.type.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
            #expect(help.contains(String(line)), "\(line)")
        }
    }

    @Test("An abstract is one phrase of 50 characters at most, without a colon", arguments: Command.all())
    func abstracts(_ command: Command) {
        let abstract = command.type.configuration.abstract
        #expect(abstract.count <= 50 && !abstract.contains(":") && abstract.hasSuffix("."), "\(abstract)")
    }

    @Test("The help says a default once", arguments: Command.all())
    func defaults(_ command: Command) {
        let help = command.type.helpMessage(columns: 400)
        for line in help.split(separator: "\n") {
            #expect(line.ranges(of: "default: ").count <= 1, "\(line)")
        }
    }

    /// The texts of each file that print a command, as many as there are tests, and the tests that run the command.
    static let runBy: [String: [String]] = [
        "CommandTree.swift": ["MessageTranscripts/unknownCommand", "MessageTranscripts/unknownCommand"],
        "CommandWords.swift": ["SignInTranscripts/request", "AdviceTranscripts/refused"],
        "ClientOptions+Record.swift": ["AdviceTranscripts/registration"],
        "Doctor.swift": [
            "IssuerDoctorTranscripts/mistake", "DoctorTranscripts/folderAsIssuer", "DoctorTranscripts/mistake",
        ],
        "ExplainedError.swift": [
            "MessageTranscripts/signInAgain", "MessageTranscripts/noClient", "AdviceTranscripts/frontDoor",
            "AdviceTranscripts/frontDoor",
        ],
        "Failure.swift": [
            "AdviceTranscripts/endedBySite", "AdviceTranscripts/endedByIssuer", "SignInTranscripts/assertionAudience",
            "AdviceTranscripts/stepUp",
        ],
        "FrontDoor.swift": ["FrontDoorTranscripts/logoutTwice", "MessageTranscripts/frontDoors"],
        "ListSessions.swift": ["AdviceTranscripts/damaged", "AdviceTranscripts/damaged"],
        "Login.swift": ["SignInTranscripts/notRenewable"],
        "LogiDisconnect.swift": ["AdviceTranscripts/disconnecting"], "Probe.swift": ["AdviceTranscripts/options"],
        "ProfileRecord.swift": ["RegistrationTranscripts/damaged"],
        "ProviderOptions.swift": ["AdviceTranscripts/options"], "Refresh.swift": ["MessageTranscripts/notRefreshable"],
        "RegisterClient.swift": ["AdviceTranscripts/registration"],
        "RemoveSession.swift": ["StoreTranscripts/removedFiles"],
        "SecretFile.swift": ["RefusalTranscripts/readableSecret"], "Status.swift": ["AdviceTranscripts/expired"],
        "StoreLocation.swift": ["AdviceTranscripts/damaged"],
        "StoredRegistration.swift": ["AdviceTranscripts/registration"],
        "StoredSignIn.swift": ["AdviceTranscripts/revoked"], "Token.swift": ["AdviceTranscripts/identity"],
    ]

    @Test("A text that prints a command has a test that runs the command")
    func tests() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let sources = folder.appending(path: "../../Sources/ostiary").standardizedFileURL.path
        var found: [String: Int] = [:]
        let advice =
            /"(?:[^"\\]|\\.)*(?:[Rr]un: |settings, which are in its help: |with your issuer and client: |create one: |Get a new token: |Forget the profile: |register again: |[Ll]ist (?:them|the commands): |Did you mean: |an issuer: ostiary |supported: ostiary )(?:[^"\\]|\\.)*"/
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources) where path.hasSuffix(".swift") {
            let text = try String(contentsOfFile: sources + "/" + path, encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.contains("ArgumentHelp(") }
            let count = lines.reduce(0) { $0 + $1.replacing("cannot be run: ", with: "").matches(of: advice).count }
            if count > 0 { found[URL(filePath: path).lastPathComponent, default: 0] += count }
        }
        for (file, count) in found { #expect(Self.runBy[file]?.count == count, "\(file)") }
        for (file, tests) in Self.runBy {
            #expect(found[file] != nil, "\(file)")
            for test in tests {
                let parts = test.split(separator: "/")
                let suite = try String(contentsOf: folder.appending(path: parts[0] + ".swift"), encoding: .utf8)
                #expect(suite.contains("func \(parts[1])("), "\(test)")
            }
        }
    }

    @Test("The program without arguments shows the first commands in 30 lines at most")
    func summary() async throws {
        let transcript = try await CommandLineTool().run([])
        #expect(transcript.status == 0 && transcript.error == "")
        let lines = transcript.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 30)
        #expect(transcript.output.contains("\nAll commands: ostiary --help\n"))
        for line in lines where line.hasPrefix("  ostiary ") {
            #expect(Command.all().contains { $0.path == [String(line.split(separator: " ")[1])] }, "\(line)")
        }
    }

    @Test("Advice is read up to the end of its line, with quotes, pipes and placeholders")
    func reading() {
        let text = """
            ostiary: Not signed in.
              Run: ostiary login --profile 'a b' --store file:/tmp/x
            Pipe it: ostiary token | ostiary jwt decode
            (Or create one: ostiary register --issuer URL)
            """
        #expect(
            Advice.commands(in: text) == [
                ["login", "--profile", "a b", "--store", "file:/tmp/x"], ["token"], ["jwt", "decode"],
                ["register", "--issuer", "https://id.example.com"],
            ]
        )
        #expect(Advice.problem(of: ["login", "--nosuch"]) != nil)
        #expect(Advice.problem(of: ["nosuch"]) != nil)
        #expect(Advice.problem(of: ["login", "--issuer", "https://id.example.com", "--client-id", "x"]) == nil)
    }
}
