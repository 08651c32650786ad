import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryOAuth

/// A folder with the session's store, and with the reports of the processes.
struct StressPlace: Sendable {
    let folder: String
    /// The process that started this one.
    private let parent = getppid()

    var store: String { folder + "/store" }
    /// The folder for the logs of the processes.
    var logs: String { folder + "/logs" }
    /// Says that it is over.
    var stop: String { folder + "/stop" }
    /// The folder for the reasons of ended sessions.
    var ends: String { folder + "/ends" }

    /// Whether the processes must end: the stop file exists, or their parent has ended.
    var isOver: Bool { access(stop, F_OK) == 0 || getppid() != parent }

    func client(
        issuer: Issuer,
        transport: any HTTPTransport,
        userAgent: any UserAgent,
        clockError: Double = 0,
        log: StressLog
    ) throws -> SignInClient {
        let sealed = FileStore(
            directory: URL(filePath: store),
            key: .file(at: URL(filePath: folder + "/store.key"))
        )
        return SignInClient(
            issuer: issuer,
            client: try Client(id: "app", redirectURI: try RedirectURI("http://127.0.0.1/callback")),
            configuration: SignInClient.Configuration(
                userAgent: userAgent,
                transport: transport,
                store: sealed,
                clock: DeviceClock(
                    now: { Date().addingTimeInterval(clockError) },
                    uptime: DeviceClock.system.uptime
                ),
                events: { event in
                    switch event {
                    case .restored, .checked: break
                    default: log.tell("\(event)")
                    }
                }
            )
        )
    }
}

/// The log of a process, which is searched for secrets when the trial is over.
struct StressLog: Sendable {
    private let file: FileHandle

    init(_ file: FileHandle) { self.file = file }

    /// Makes a new log among those of a place.
    init(named name: String, in place: StressPlace) throws {
        let path = "\(place.logs)/\(name)-\(UInt64.random(in: 0...UInt64.max))"
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        self.file = file
    }

    /// Writes a line.
    func tell(_ line: String) {
        file.write(Data("\(getpid()) \(Date().timeIntervalSince1970) \(line)\n".utf8))
    }

    /// Lets all that a process writes go here.
    func take(from process: Process) {
        process.standardOutput = file
        process.standardError = file
    }
}

/// Loses some responses of the token endpoint after the server has carried out the request.
struct LosingTransport: HTTPTransport {
    let next: any HTTPTransport
    let percent: Int

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let response = try await next.send(request)
        guard request.url.path().hasSuffix("/token"), Int.random(in: 0..<100) < percent else { return response }
        throw .interrupted
    }
}

/// A user agent that signs no user in.
struct NoPerson: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        throw SignInError(.authorization, .configuration("A process of the trial does not sign in."))
    }
}
