import ArgumentParser
import ClientProbe
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary probe`: which faults of a provider another client accepts.
struct Probe: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "Test which faults another client accepts.",
        discussion: """
            Starts the development provider on this machine once for each scenario, with
            one deliberate fault, and lets a client sign in there: COMMAND, or a web app
            that listens at --url. A browser without scripts signs the user in.

            COMMAND
              It gets PROBE_ISSUER, PROBE_CLIENT_ID, PROBE_CLIENT_SECRET,
              PROBE_REDIRECT_URI and PROBE_SCENARIO as environment variables, and BROWSER,
              which opens a URL; URLs of the issuer that it prints are opened as well. It
              uses the authorization code flow with PKCE, and ends with 0 when it has
              signed the user in, and with another status when it has rejected the sign-in.

            AN APP
              --url names the page that begins the sign-in. The app uses the issuer
              http://127.0.0.1:PORT, PORT from --port, with --client-id and
              --client-secret-file, and the redirect URI of --redirect-uri. It accepts
              when the page after the redirect has a status below 400.

            VERDICTS
              accepted     a fault that a specification requires clients to reject: the
                           exit status is 3
              lenient      a fault that clients should reject
              intolerant   a harmless deviation was rejected
              refused, tolerated, not reached

              With --strict, lenient and intolerant end with 3 as well. The first sign-in
              has no fault; if the client does not complete it, the probe stops.

            EXAMPLES
              ostiary probe -- python3 my_client.py
              ostiary probe --junit probe.xml --strict -- ./my-client login
              ostiary probe --scenario missing-exp -- ./my-client login
              ostiary probe --url http://localhost:3000/login --port 4455 \\
                --redirect-uri http://localhost:3000/callback
              ostiary probe --list
            """
    )

    @Option(help: ArgumentHelp("The page of a running app that begins a sign-in.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("Play only this scenario; may be repeated. (default: all)", valueName: "name"),
        completion: .list(ProbeCase.all.map(\.name))
    )
    var scenario: [String] = []

    @Flag(help: "List the scenarios and stop.")
    var list = false

    @Flag(help: "End with 3 for lenient and intolerant as well.")
    var strict = false

    @Option(help: ArgumentHelp("Write the results as JUnit XML.", valueName: "file"), completion: .file())
    var junit: String?

    @Option(help: ArgumentHelp("The seconds that one sign-in may take.", valueName: "seconds"))
    var timeout: Int = 30

    @Option(help: ArgumentHelp("The port of the provider. (default: any that is free)", valueName: "port"))
    var port: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The client's identifier.", valueName: "id"))
    var clientID = "probe"

    @Option(
        help: ArgumentHelp("A file with the client's secret. (default: one is made)", valueName: "file"),
        completion: .file()
    )
    var clientSecretFile: String?

    @Option(help: ArgumentHelp("The client's authentication method.", valueName: "method"))
    var clientAuth = ProbedClientAuthentication.basic

    @Option(
        help: ArgumentHelp(
            "The client's redirect URI. (default: http://127.0.0.1/callback on any port)",
            valueName: "uri"
        )
    )
    var redirectURI: String?

    @OptionGroup var output: OutputOptions

    @Argument(parsing: .postTerminator, help: "The client and its arguments, after --.")
    var command: [String] = []

    mutating func validate() throws {
        if list { return }
        if command.isEmpty == (url == nil) {
            throw ValidationError("Give a command after --, such as ostiary probe -- ./my-client, or --url.")
        }
        if let url, URL(string: url)?.host() == nil {
            throw ValidationError("--url is not a URL with a host: \(url.shortened)")
        }
        if url != nil, port == nil {
            throw ValidationError("--url needs --port: the app is set up with the issuer http://127.0.0.1:PORT.")
        }
        if clientAuth == .none, clientSecretFile != nil {
            throw ValidationError("--client-auth none takes no secret: leave out --client-secret-file.")
        }
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port must be between 1 and 65535.") }
        if !(1...3600).contains(timeout) {
            throw ValidationError("--timeout must be between 1 and 3600 (seconds).")
        }
        for name in scenario where ProbeCase.named(name) == nil {
            let reason = ProbeCase.notPlayed[name].map { " is not played: \($0)." } ?? " is unknown."
            throw ValidationError("The scenario \(name.shortened)\(reason) List them: ostiary probe --list")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        if list { return Self.listing }
        let stage = try ProbeStage(self, on: console)
        let baseline = try await stage.play(ProbeCase.baseline)
        guard baseline.result.end.isSuccess else {
            for line in baseline.output.split(separator: "\n").suffix(10) {
                console.note("client: " + line.description.printable)
            }
            for line in baseline.requests.suffix(10) { console.note("provider: " + line.printable) }
            throw UnprobableClient(
                end: baseline.result.end,
                hasSentRequests: !baseline.requests.isEmpty,
                isApp: url != nil
            )
        }
        let parts = baseline.parts
        let chosen = ProbeCase.all.filter { probe in
            probe.name != ProbeCase.baseline.name
                && (scenario.isEmpty ? parts.contains(probe.part) : scenario.contains(probe.name))
        }
        var results = [baseline.result]
        for (index, probe) in chosen.enumerated() {
            let result = try await stage.play(probe).result
            results.append(result)
            let verdict = result.verdict.rawValue
            console.note(
                "\(index + 1)/\(chosen.count)  " + verdict + String(repeating: " ", count: 13 - verdict.count)
                    + probe.name
            )
        }
        let report = ProbeReport(results, parts: parts, strictly: strict)
        if let junit { try OutputFile(path: junit).write(Secret(report.junit)) }
        let text = report.lines.map { $0.printable + "\n" }.joined()
        guard report.failures > 0 else { return Answer(members: report.members, text: text) }
        if !output.json { try console.print(text) }
        throw TracedFailure(cause: ProbeFailure(count: report.failures), members: report.members)
    }

    private static var listing: Answer {
        var table = ClaimsTable()
        for probe in ProbeCase.all {
            table.add(probe.name, "\(probe.expectation.rawValue): \(probe.fault) (\(probe.part.rawValue))")
        }
        let scenarios: [JSONValue] = ProbeCase.all.map { probe in
            .object([
                "scenario": .string(probe.name), "part": .string(probe.part.rawValue),
                "expectation": .string(probe.expectation.rawValue), "fault": .string(probe.fault),
                "source": .string(probe.source),
            ])
        }
        return Answer(members: ["scenarios": .array(scenarios)], text: table.text)
    }
}

/// The method with which a probed client authenticates.
enum ProbedClientAuthentication: String, ExpressibleByArgument, CaseIterable, Sendable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case none
}

/// A client that accepted faults.
struct ProbeFailure: Error, CustomStringConvertible {
    let count: Int

    var description: String { "The client failed \(count) scenario\(count == 1 ? "" : "s")." }
}

/// A client that does not sign in where nothing is wrong.
struct UnprobableClient: Error, CustomStringConvertible {
    let end: ProbeEnd
    let hasSentRequests: Bool
    let isApp: Bool

    var description: String {
        let sentence = "The client does not sign in where nothing is wrong (\(end.words))."
        guard !hasSentRequests else { return sentence }
        return sentence
            + (isApp
                ? " It sent no request: set the app up with the issuer of --port."
                : " It sent no request: let it take the issuer from PROBE_ISSUER.")
    }
}
