import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// Apps whose backend holds the tokens: they sign in, and call an API with their sessions from many tasks at once,
/// while the tokens expire.
struct Sessions: Sendable {
    let provider: LoadProvider
    let client: HTTPClient
    let origin: String
    /// The public origin of the service, which proofs name.
    let externalOrigin: String
    /// The time for which an app waits for one response, and after which it starts a new sign-in, in seconds.
    let patience: Double
    let figures = PhasedFigures("session calls")
    let signIns = Figures("sign-ins")
    let thefts = Figures("session proofs shown again")
    private let apps: [App]

    init(
        _ count: Int,
        provider: LoadProvider,
        client: HTTPClient,
        origin: String,
        externalOrigin: String,
        patience: Double
    ) throws {
        self.provider = provider
        self.client = client
        self.origin = origin
        self.externalOrigin = externalOrigin
        self.patience = patience
        apps = try (0..<count).map { App(subject: "session-\($0)", key: try SigningKey.generate(.es256)) }
    }

    /// Signs every app in.
    func begin(atOnce: Int) async {
        signIns.begin()
        await Goal(apps.count).reach(atOnce: atOnce) { await signIn(apps[$0], after: nil) }
    }

    /// Makes so many calls: eight in a row are by one app, so that instances want to refresh its session at once.
    func run(_ goal: Goal, atOnce: Int) async {
        figures.current.begin()
        await goal.reach(atOnce: atOnce) { await call(apps[$0 / 8 % apps.count], isFollowedByThief: $0 % 50 == 1) }
    }

    /// Returns the number of sessions that are gone without a response that reported their end.
    ///
    /// With `allowsLostAnswers` a session with a lost response may have ended in that response.
    func missing(allowingLostAnswers allowsLostAnswers: Bool) async -> Int {
        let missing = Mutex(0)
        await Goal(apps.count).reach(atOnce: 16) { number in
            guard let handle = apps[number].handle else { return }
            for attempt in 0..<40 {
                let answer = await show(handle, by: apps[number], at: "/auth/session")
                guard answer.mayBeAskedAgain else {
                    let isThere = answer.status == 200 && answer.body["sub"] == .string(apps[number].subject)
                    if !isThere, !(allowsLostAnswers && apps[number].hasLostAnswer) { missing.withLock { $0 += 1 } }
                    return
                }
                await pause(before: attempt)
            }
            missing.withLock { $0 += 1 }
        }
        return missing.withLock { $0 }
    }

    private func call(_ app: App, isFollowedByThief: Bool) async {
        guard let handle = app.handle else { return await signIn(app, after: nil) }
        let proof = app.key.proof("GET", externalOrigin + "/orders", for: handle) ?? ""
        let figures = figures.current
        let began = ContinuousClock.now
        let answer = await show(handle, by: app, at: "/orders", proof: proof)
        figures.add(ContinuousClock.now - began)
        switch answer.status {
        case 200: figures.count(answer.body["sub"] == .string(app.subject) ? "200" : "200 for another user")
        case 401 where answer.challenge.contains("The session has ended."):
            figures.count("session ended")
            await signIn(app, after: handle)
        default:
            figures.count(answer.kind)
            if answer.status != 429 { app.loseAnswer() }
        }
        guard isFollowedByThief, answer.status == 200 else { return }
        let theft = ContinuousClock.now
        thefts.count(await show(handle, by: app, at: "/orders", proof: proof).kind)
        thefts.add(ContinuousClock.now - theft)
    }

    private func show(_ handle: String, by app: App, at path: String, proof: String? = nil) async -> Answer {
        let proof = proof ?? app.key.proof("GET", externalOrigin + path, for: handle) ?? ""
        return await client.ask(
            .GET,
            origin + path,
            [("authorization", "DPoP " + handle), ("dpop", proof)],
            nil,
            within: patience
        )
    }

    /// Signs an app in, unless another task has done so since.
    private func signIn(_ app: App, after ended: String?) async {
        guard app.beginSignIn(after: ended) else { return await pause(before: 0) }
        let began = ContinuousClock.now
        var handle: String?
        for attempt in 0..<12 where handle == nil {
            if attempt > 0 { await pause(before: attempt) }
            handle = await newSession(app)
        }
        app.endSignIn(with: handle)
        signIns.count(handle == nil ? "given up" : "200")
        signIns.add(ContinuousClock.now - began)
    }

    /// Makes one sign-in from the page to the handle; `nil` when it must be started again.
    private func newSession(_ app: App) async -> String? {
        let start = await client.ask(
            .POST,
            origin + "/auth/start",
            proof(of: app, for: "/auth/start"),
            nil,
            within: patience
        )
        guard start.status == 200, let page = start.body["start_url"]?.string,
            let code = provider.sessions.code(at: page, for: app.subject)
        else {
            signIns.count("start: \(start.kind)")
            return nil
        }
        let body: JSONObject = ["code": .string(code), "state": start.body["state"] ?? .null]
        let patience = Patience(patience)
        for attempt in 0..<20 where !patience.isOver {
            let finish = await client.ask(
                .POST,
                origin + "/auth/finish",
                proof(of: app, for: "/auth/finish"),
                ByteBuffer(bytes: body.encoded()),
                within: self.patience
            )
            if finish.status == 200 { return finish.body["session"]?.string }
            signIns.count("finish: \(finish.kind)")
            guard finish.mayBeAskedAgain else { return nil }
            await pause(before: attempt)
        }
        return nil
    }

    private func proof(of app: App, for path: String) -> [(String, String)] {
        [("dpop", app.key.proof("POST", externalOrigin + path) ?? "")]
    }
}

/// An app with a key of its own, and the session that it has.
private final class App: Sendable {
    private struct State {
        var handle: String?
        var isSigningIn = false
        var hasLostAnswer = false
    }

    let subject: String
    let key: SigningKey
    private let state = Mutex(State())

    init(subject: String, key: SigningKey) {
        self.subject = subject
        self.key = key
    }

    var handle: String? { state.withLock(\.handle) }
    /// Whether the outcome of a request with this session is unknown.
    var hasLostAnswer: Bool { state.withLock(\.hasLostAnswer) }

    func loseAnswer() { state.withLock { $0.hasLostAnswer = true } }

    /// Whether the caller is the one to sign in, of all that heard the end of a session.
    func beginSignIn(after ended: String?) -> Bool {
        state.withLock { state in
            guard !state.isSigningIn, state.handle == ended else { return false }
            state = State(handle: nil, isSigningIn: true)
            return true
        }
    }

    func endSignIn(with handle: String?) { state.withLock { $0 = State(handle: handle) } }
}
