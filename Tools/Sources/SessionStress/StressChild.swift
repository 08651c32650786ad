import ArgumentParser
import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryOAuth

/// One of the processes: its tasks read the token and replace it, until the process is killed.
struct StressChild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "child",
        abstract: "Be one of the processes.",
        shouldDisplay: false
    )

    @Option var folder: String
    @Option var issuer: String
    @Option var tasks: Int
    @Option var lostAnswers = 0
    @Option(parsing: .unconditional) var clockError = 0.0

    func run() async throws {
        let place = StressPlace(folder: folder)
        let client = try place.client(
            issuer: try Issuer(issuer),
            transport: LosingTransport(next: AsyncHTTPClientTransport(), percent: lostAnswers),
            userAgent: NoPerson(),
            clockError: clockError,
            log: Self.log
        )
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks { group.addTask { await work(client, place) } }
        }
    }

    /// Uses the session until the trial is over; reports an ended session, and waits for the next one.
    private func work(_ client: SignInClient, _ place: StressPlace) async {
        var errors = 0
        while !place.isOver {
            guard let session = try? await client.restoreSession() else {
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            while session.end == nil, !place.isOver {
                do {
                    let token = try await session.accessToken()
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0..<5)))
                    _ = try await session.accessToken(insteadOf: token)
                } catch {
                    errors += 1
                    if errors <= Self.toldErrors { Self.log.tell(Self.everything(of: error, in: session)) }
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            if let end = session.end { tell(end, place) }
        }
    }

    private static let log = StressLog(.standardError)

    /// The number of errors that each task reports: on a full disk there are many.
    private static let toldErrors = 20

    /// The whole output of printing and reflecting an error and a session.
    private static func everything(of error: any Error, in session: Session) -> String {
        var text = "\(error) \(session)"
        dump(error, to: &text)
        dump(session, to: &text)
        return text
    }

    private func tell(_ end: Session.End, _ place: StressPlace) {
        let name = "\(place.ends)/\(end.rawValue)-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        // In one step: Foundation writes to a file of another name first, which stays there when the process is killed.
        let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }
}
