import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization
import Testing

@Suite("Signals while an answer is under way", .serialized)
struct InterruptionTranscripts {
    typealias Sent = CommandLineTool.Sent

    private static let life = "\(ProviderConfiguration.Lifetimes().accessToken.components.seconds - 1)"

    /// Each refreshes, however fresh the token is.
    static let commands = [
        ["refresh"], ["token", "--min-valid", life], ["exec", "--min-valid", "100000", "--", "echo", "began"],
    ]

    /// Runs a body against a provider whose answers to token requests are held on demand.
    private func running(_ body: (TestProvider, HeldAnswers) async throws -> Void) async throws {
        let answers = HeldAnswers()
        try await TestProvider.running(delay: { if $0 == "/token" { await answers.pass() } }) { provider async throws in
            do { try await body(provider, answers) } catch {
                answers.release()
                throw error
            }
            answers.release()
        }
    }

    @Test(
        "A signal during a refresh ends the command after the response is stored",
        arguments: commands,
        Sent.allCases
    )
    func stored(command: [String], signal: Sent) async throws {
        try await running { provider, answers in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            answers.hold()
            let run = try await provider.tool.run(
                command,
                reaction: { line in
                    if line.hasPrefix("ostiary: a request has been sent") { answers.release() }
                    return .none
                },
                meanwhile: { send in
                    await answers.arrival()
                    try send(signal)
                }
            )
            #expect(run.status == (command[0] == "exec" ? 125 : 5) && run.output.isEmpty)
            // The provider is strict: a refresh token that is presented again ends the session.
            #expect(try await provider.tool.run(["refresh"]).status == 0)
        }
    }

    @Test(
        "A second signal ends the command at once and names the cost, and the lost session is reported",
        arguments: [false, true]
    )
    func secondSignal(inJSON: Bool) async throws {
        try await running { provider, answers in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            answers.hold()
            let (notes, note) = AsyncStream<Void>.makeStream()
            let run = try await provider.tool.run(
                ["refresh"] + (inJSON ? ["--json"] : []),
                reaction: { line in
                    if line.hasPrefix("ostiary: a request has been sent") { note.yield() }
                    return .none
                },
                meanwhile: { send in
                    await answers.arrival()
                    try send(.interrupt)
                    for await _ in notes { break }
                    try send(.interrupt)
                }
            )
            #expect(run.status == 5)
            #expect((inJSON ? run.output : run.error).contains("the session may be lost"))
            if inJSON { #expect(try run.failure() == FailureWords(5, nil, "cancelled")) }
            answers.release()
            let next = try await provider.tool.run(["refresh"] + (inJSON ? ["--json"] : []))
            guard inJSON else {
                #expect(next.status == 6 && next.error.contains("The session is lost: the issuer has replaced"))
                #expect(next.error.hasSuffix("  Run: ostiary login\n"))
                return
            }
            #expect(try next.failure() == FailureWords(6, "refresh", "refused", code: "invalid_grant"))
            #expect(try next.json()["sessionEnd"] == "lostRotation")
        }
    }

    @Test("A sign-in that is interrupted after its code was sent is stored", arguments: Sent.allCases)
    func login(signal: Sent) async throws {
        try await running { provider, answers in
            answers.hold()
            let run = try await provider.tool.run(
                try provider.login(),
                reaction: { line in
                    if line.hasPrefix("ostiary: a request has been sent") { answers.release() }
                    return .none
                },
                meanwhile: { send in
                    await answers.arrival()
                    try send(signal)
                }
            )
            #expect(run.status == 0 && run.output.hasPrefix("Signed in at "))
            #expect(try await provider.tool.run(["refresh"]).status == 0)
        }
    }

    @Test("A signal that ostiary was started to ignore cancels nothing")
    func ignored() async throws {
        try await running { provider, answers in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            answers.hold()
            let run = try await provider.tool.runInShell("trap '' HUP; exec ostiary refresh") { send in
                await answers.arrival()
                try send(.hangUp)
                answers.release()
            }
            #expect(run.status == 0 && run.output.hasPrefix("Renewed") && run.error.isEmpty)
        }
    }

    @Test("A renewal in progress when exec's command ends is awaited and stored")
    func endOfCommand() async throws {
        var lifetimes = ProviderConfiguration.Lifetimes()
        lifetimes.accessToken = .seconds(2)
        let answers = HeldAnswers()
        try await TestProvider.running(lifetimes: lifetimes, delay: { if $0 == "/token" { await answers.pass() } }) {
            provider async throws in
            defer { answers.release() }
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            let flag = provider.folder.path("flag")
            let script = "echo ready; while [ ! -e '\(flag)' ]; do sleep 0.05; done; exit 7"
            let run = try await provider.tool.run(
                ["exec", "--min-valid", "1", "--fd", "3", "--", "sh", "-c", script],
                reaction: { line in
                    if line == "ready" { answers.hold() }
                    if line.hasPrefix("ostiary: the answer of the issuer is not stored yet") { answers.release() }
                    return .none
                },
                meanwhile: { _ in
                    await answers.arrival()
                    try Data().write(to: URL(filePath: flag))
                }
            )
            #expect(run.status == 7)
            // As long as the session tries (SettlingTests of the library).
            #expect(run.error.contains("trying to store it for up to two minutes."))
            #expect(try await provider.tool.run(["refresh"]).status == 0)
        }
    }

    @Test("With standard descriptors closed, what is printed goes into no other file of the command's")
    func closedDescriptors() async throws {
        try await running { provider, _ in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            for closed in [">&-", "<&- >&-", "<&- >&- 2>&-", ">&- 2>&-"] {
                let run = try await provider.tool.runInShell("ostiary token \(closed)")
                #expect(run.status == 1 && run.output.isEmpty && run.error.isEmpty)
            }
            let token = try await provider.tool.run(["token"], printing: .onPurpose).output
            let silent = try await provider.tool.runInShell("ostiary token <&- 2>&-")
            #expect(silent.status == 0 && silent.output == token)
        }
    }
}

/// Answers that are held on demand until they are released.
private final class HeldAnswers: Sendable {
    private let isHolding = Mutex(false)
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let gate = AsyncStream.makeStream(of: Void.self)

    func hold() { isHolding.withLock { $0 = true } }

    /// Waits until an answer is held.
    func arrival() async { for await _ in arrivals.stream { return } }

    /// Lets every answer go, also later ones.
    func release() {
        isHolding.withLock { $0 = false }
        gate.continuation.finish()
    }

    func pass() async {
        guard isHolding.withLock({ $0 }) else { return }
        arrivals.continuation.yield()
        for await _ in gate.stream {}
    }
}
