import Foundation
import Ostiary
import OstiaryAsyncHTTPClient
import OstiaryOAuth

/// A folder with the session's store, and with a flag that says that nothing can be written there.
struct StressPlace: Sendable {
    let folder: String

    var flag: String { folder + "/full" }
    /// Says that it is over.
    var stop: String { folder + "/stop" }
    /// Where a process says why its session ended.
    var ends: String { folder + "/ends" }

    /// Whether the processes are to end.
    var isOver: Bool { access(stop, F_OK) == 0 }

    func client(
        issuer: Issuer,
        transport: any HTTPTransport,
        userAgent: any UserAgent,
        clockError: Double = 0
    ) throws -> SignInClient {
        let store = FileStore(
            directory: URL(filePath: folder + "/store"),
            key: .file(at: URL(filePath: folder + "/store.key"))
        )
        return SignInClient(
            issuer: issuer,
            client: try Client(id: "app", redirectURI: try RedirectURI("http://127.0.0.1/callback")),
            userAgent: userAgent,
            transport: transport,
            store: FullAtTimes(store: store, flag: flag),
            policy: SessionPolicy(maximumClockCorrection: 2 * 86_400),
            clock: DeviceClock(
                now: { Date().addingTimeInterval(clockError) },
                uptime: DeviceClock.system.uptime
            ),
            events: { event in
                guard ProcessInfo.processInfo.environment["SESSION_STRESS_TELL"] != nil else { return }
                switch event {
                case .restored, .checked: break
                default:
                    FileHandle.standardError.write(Data("\(getpid()) \(Date().timeIntervalSince1970) \(event)\n".utf8))
                }
            }
        )
    }
}

/// A store that cannot be written as long as a file is there, as on a full disk or a read-only one.
private struct FullAtTimes: SecretStore {
    let store: FileStore
    let flag: String

    var processLock: (any ProcessLock)? { store.processLock }
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try store.readNow(key) }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try check()
        try await store.write(value, for: key)
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) {
        try check()
        try await store.remove(key)
    }

    private func check() throws(StorageFailure) {
        guard access(flag, F_OK) != 0 else { throw .unavailable }
    }
}

/// Loses some answers of the token endpoint after the server has done what was asked.
struct LosingTransport: HTTPTransport {
    let next: any HTTPTransport
    let percent: Int

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let response = try await next.send(request)
        guard request.url.path().hasSuffix("/token"), Int.random(in: 0..<100) < percent else { return response }
        throw .interrupted
    }
}

/// Nobody signs in here.
struct NoPerson: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        throw SignInError(.authorization, .configuration("A process of the trial signs nobody in."))
    }
}
